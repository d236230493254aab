import { useQuery } from "@tanstack/react-query";
import { Download, FileText } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { ItemSource } from "../../api/client";
import { apiUrl, send } from "../../api/http";
import { EmptyState, Loading } from "../../design/EmptyState";
import { FailureNote } from "../../design/FailureNote";
import { formatBytes } from "../../design/format";
import styles from "./FilePreview.module.css";

const MOST_TEXT_BYTES = 256 * 1024;
const MOST_PDF_BYTES = 32 * 1024 * 1024;

interface FileStart {
  mediaType: string;
  nBytes: number | null;
  /** Longer than one answer: what is saved is only its beginning. */
  isCut: boolean;
  /** The beginning, where it is text. */
  text: string | null;
  /** All of it, where it is a PDF: the page shows it from memory, since stored data may run nothing. */
  pdf: Blob | null;
}

/** A file as a browser shows it (picture, PDF, text), else a way to save it. */
export function FilePreview({ source, name }: { source: ItemSource; name: string }) {
  const { project, run, node, port, index } = source;
  const url = apiUrl(["projects", project, "runs", run, "nodes", node, "outputs", port, index, "file"]).href;
  const file = useQuery({ queryKey: ["file", url], queryFn: ({ signal }) => readStart(url, signal), staleTime: Infinity, gcTime: 60_000 });
  if (file.isError) return <FailureNote error={file.error} onRetry={() => void file.refetch()} />;
  if (file.isPending) return <Loading label="Reading the file…" />;
  const { mediaType, nBytes, isCut } = file.data;
  return (
    <div className={styles.preview} data-testid="file-preview" data-media-type={mediaType}>
      <Content url={url} name={name} file={file.data} />
      <p className={styles.foot}>
        <span className={styles.kind}>
          {name} · {mediaType}
          {nBytes !== null && ` · ${formatBytes(nBytes)}`}
          {isCut && " · too long to save from here: it lies in the project's folder"}
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
  if (file.mediaType.startsWith("image/") && !isBroken)
    return <img className={styles.image} src={url} alt={name} onError={() => setIsBroken(true)} />; // as a picture an SVG runs no script
  if (file.pdf !== null) return <PdfFrame pdf={file.pdf} name={name} />;
  if (file.text !== null) {
    return (
      <pre className={styles.text} tabIndex={0} aria-label={name}>
        {file.text}
      </pre>
    );
  }
  return (
    <EmptyState
      icon={<FileText size={28} strokeWidth={1.5} aria-hidden />}
      title={isBroken ? "This picture cannot be shown" : "No preview for this kind of file"}
    >
      Save it to open it with another program.
    </EmptyState>
  );
}

const isText = (mediaType: string) =>
  mediaType.startsWith("text/") || /^application\/(json|xml|yaml|toml|javascript|x-.*(script|yaml))/.test(mediaType);

function PdfFrame({ pdf, name }: { pdf: Blob; name: string }) {
  const url = useMemo(() => URL.createObjectURL(pdf), [pdf]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <iframe className={styles.frame} src={url} title={name} />;
}

/** Type and size from the answer's head. The body is read where the page shows it itself: a text to a bounded length, a PDF of bounded size. */
async function readStart(url: string, signal: AbortSignal): Promise<FileStart> {
  const rest = new AbortController();
  const response = await send(new Request(url, { signal: AbortSignal.any([signal, rest.signal]) }));
  const mediaType = (response.headers.get("content-type") ?? "application/octet-stream").split(";")[0]?.trim() ?? "";
  const { total_bytes: nBytes = null, truncated = false } = JSON.parse(response.headers.get("SciStudio-Data") ?? "{}") as {
    total_bytes?: number;
    truncated?: boolean;
  };
  const text = isText(mediaType) && response.body !== null ? await readText(response.body) : null;
  const pdf = mediaType === "application/pdf" && nBytes !== null && nBytes <= MOST_PDF_BYTES ? await response.blob() : null;
  rest.abort();
  return { mediaType, nBytes, isCut: truncated, text, pdf };
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
