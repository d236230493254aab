import { useQuery } from "@tanstack/react-query";
import { Download, FileText } from "lucide-react";
import { useState } from "react";
import { request } from "../../api/http";
import { EmptyState, Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { formatBytes } from "../../design/format";
import styles from "./FilePreview.module.css";
import { itemUrl, type ItemSource } from "./reads";

const MOST_TEXT_BYTES = 256 * 1024;

interface FileStart {
  mediaType: string;
  nBytes: number | null;
  /** The beginning, where it is text. */
  text: string | null;
}

/** A file as a browser shows it (picture, PDF, text), else a way to save it. */
export function FilePreview({ source, name }: { source: ItemSource; name: string }) {
  const url = itemUrl(source, "file").href;
  const file = useQuery({ queryKey: ["file", url], queryFn: ({ signal }) => readStart(new URL(url), signal), staleTime: Infinity, gcTime: 60_000 });
  if (file.isError) return <FailureNote error={file.error} onRetry={() => void file.refetch()} />;
  if (file.isPending) return <Loading label="Reading the file…" />;
  const { mediaType, nBytes } = file.data;
  return (
    <div className={styles.preview} data-testid="file-preview" data-media-type={mediaType}>
      <Content url={url} name={name} file={file.data} />
      <p className={styles.foot}>
        <span className={styles.kind}>
          {name} · {mediaType}
          {nBytes !== null && ` · ${formatBytes(nBytes)}`}
        </span>
        <a className={styles.save} href={url} download={name}>
          <Download size={14} aria-hidden /> Save
        </a>
      </p>
    </div>
  );
}

function Content({ url, name, file }: { url: string; name: string; file: FileStart }) {
  const [isBroken, setIsBroken] = useState(false);
  if (file.mediaType.startsWith("image/") && !isBroken) return <img className={styles.image} src={url} alt={name} onError={() => setIsBroken(true)} />; // as a picture an SVG runs no script
  if (file.mediaType === "application/pdf") return <iframe className={styles.frame} src={url} title={name} />;
  if (file.text !== null) {
    return (
      <pre className={styles.text} tabIndex={0} aria-label={name}>
        {file.text}
      </pre>
    );
  }
  return (
    <EmptyState icon={<FileText size={28} strokeWidth={1.5} aria-hidden />} title={isBroken ? "This picture cannot be shown" : "No preview for this kind of file"}>
      Save it to open it with another program.
    </EmptyState>
  );
}

const isText = (mediaType: string) => mediaType.startsWith("text/") || /json|xml|yaml|toml|csv|javascript/.test(mediaType);

/** Type and size from the answer's head. The rest of its body is read only where it is text, and then not to the end of a long one. */
async function readStart(url: URL, signal: AbortSignal): Promise<FileStart> {
  const rest = new AbortController();
  const response = await request(url, { accept: "*/*", signal: AbortSignal.any([signal, rest.signal]) });
  const mediaType = (response.headers.get("content-type") ?? "application/octet-stream").split(";")[0]?.trim() ?? "";
  const length = Number(response.headers.get("content-length") ?? NaN);
  const text = isText(mediaType) && !mediaType.startsWith("image/") && response.body !== null ? await readText(response.body) : null;
  rest.abort();
  return { mediaType, nBytes: Number.isFinite(length) ? length : null, text };
}

async function readText(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > MOST_TEXT_BYTES) return `${text.slice(0, MOST_TEXT_BYTES)}\n… (save the file to see the rest)`;
  }
}
