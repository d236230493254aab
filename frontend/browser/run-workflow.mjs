/** Run measure-objects on the page, see the states change and look at outputs. Prints what was seen as JSON. */
import { shows, statesSeen, watch, withPage } from "./page.mjs";

const [url, chromium, screenshot] = process.argv.slice(2);

const seen = await withPage(url, chromium, async (page, _context, faults) => {
  await page.getByText("measure-objects").first().click();
  await page.getByTestId("block-smooth").waitFor();
  const address = page.url();
  await watch(page, "smooth");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  for (const block of ["save_statistics", "save_regions", "save_histogram"]) await shows(page, block, "done");
  const states = await statesSeen(page);
  const log = await page.getByTestId("logs").innerText();
  await page.getByTestId("block-label").click();
  await page.getByTestId("array-preview").locator("canvas").first().waitFor();
  const image = await page.getByTestId("preview").innerText();
  await page.getByTestId("block-measure").getByText("Measure regions").click(); // its name is part of the block
  await page.getByTestId("table-preview").getByText("eccentricity").first().waitFor();
  const table = await page.getByTestId("preview").innerText();
  await page.getByTestId("block-histogram").click();
  await page.getByTestId("file-preview").locator("img").waitFor();
  await page.screenshot({ path: screenshot });
  await page.reload();
  await shows(page, "smooth", "done");
  return { address, states, log, image, table, faults };
});
console.log(JSON.stringify(seen));
