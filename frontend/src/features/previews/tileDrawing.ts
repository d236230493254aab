import { formatNumber } from "../../design/format";
import type { ValueRange, Values } from "./arrayValues";
import { paint, type ColourMap } from "./colourMaps";
import { pixelAt, tileIndex, type Plane, type Size, type View } from "./geometry";
import type { ArrayHeader } from "./reads";

export interface DrawnTile {
  header: ArrayHeader;
  values: Values;
}

/** Place and value of the pixel at a place of the screen, from the finer tile where it lies in it; null outside. */
export function describePixel(
  view: View,
  at: { x: number; y: number },
  plane: Plane,
  fine: DrawnTile | null,
  coarse: DrawnTile,
): string | null {
  const pixel = pixelAt(view, at, plane);
  if (pixel === null) return null;
  const inFine = fine === null ? -1 : tileIndex(fine.header, pixel.row, pixel.column);
  const value = inFine >= 0 && fine !== null ? fine.values[inFine] : coarse.values[tileIndex(coarse.header, pixel.row, pixel.column)];
  const text = value === undefined ? "–" : typeof value === "number" ? formatNumber(value) : value.toString();
  return `${plane.rowName} ${pixel.row}, ${plane.columnName} ${pixel.column}: ${text}`;
}

export interface Picture {
  image: HTMLCanvasElement;
  header: ArrayHeader;
}

/** The tile in colours, one pixel for each of its values. */
export function tilePicture({ header, values }: DrawnTile, map: ColourMap, range: ValueRange): Picture {
  const image = document.createElement("canvas");
  [image.height = 1, image.width = 1] = header.shape;
  const pixels = new Uint8ClampedArray(paint(values, map, range).buffer);
  if (pixels.length > 0) image.getContext("2d")?.putImageData(new ImageData(pixels, image.width, image.height), 0, 0);
  return { image, header };
}

/** Draw the pictures, the later ones over the earlier. */
export function draw(canvas: HTMLCanvasElement | null, box: Size, view: View, pictures: readonly (Picture | null)[]): void {
  const context = canvas?.getContext("2d");
  if (canvas === null || context == null || box.width === 0) return;
  const density = window.devicePixelRatio;
  canvas.width = Math.round(box.width * density);
  canvas.height = Math.round(box.height * density);
  context.scale(density, density);
  for (const picture of pictures) {
    if (picture === null) continue;
    const { image, header } = picture;
    const [stepY = 1, stepX = 1] = header.step;
    const [y = 0, x = 0] = header.origin;
    context.imageSmoothingEnabled = view.scale * stepX * density < 1; // enlarged pixels stay squares
    context.drawImage(
      image,
      view.x + x * view.scale,
      view.y + y * view.scale,
      image.width * stepX * view.scale,
      image.height * stepY * view.scale,
    );
  }
}
