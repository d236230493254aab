import { CircleX, X } from "lucide-react";
import { IconButton } from "../../design/Button";
import { useAppStore } from "../../store/store";
import styles from "./NoticeBanner.module.css";

/** Failed requests, until they are dismissed. Lies over the page, so that nothing moves. */
export function NoticeBanner() {
  const notices = useAppStore((state) => state.notices);
  const dismiss = useAppStore((state) => state.dismiss);
  return (
    <div className={styles.stack} role="region" aria-label="Notices" aria-live="assertive">
      {notices.map((notice) => (
        <div key={notice.id} className={styles.notice} data-testid="notice">
          <CircleX size={16} aria-hidden />
          <div>
            <p className={styles.text}>{notice.text}</p>
            {notice.hint !== "" && <p className={styles.hint}>{notice.hint}</p>}
          </div>
          <IconButton label="Dismiss" icon={<X size={15} aria-hidden />} onClick={() => dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}
