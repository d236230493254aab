import { KeyRound } from "lucide-react";
import { useId, useState } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { Button } from "../../design/Button";
import styles from "./SessionLost.module.css";

/** The session is over, or there was none: how to come back. */
export function SessionLost({ onRestored }: { onRestored: () => void }) {
  const field = useId();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const restore = async () => {
    setIsAsking(true);
    setProblem("");
    try {
      await api.openSession(tokenIn(text));
      onRestored();
    } catch (error) {
      const { status, message } = asProblem(error);
      setProblem(
        status === 401 || status === 403 ? "This token is not valid here. Use the newest address that SciStudio printed." : message,
      );
    } finally {
      setIsAsking(false);
    }
  };
  return (
    <div className={styles.cover} data-testid="session-lost">
      <form
        className={styles.card}
        role="dialog"
        aria-modal="true"
        aria-labelledby={`${field}-title`}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") void restore();
        }}
      >
        <KeyRound size={26} strokeWidth={1.6} className={styles.icon} aria-hidden />
        <h2 id={`${field}-title`}>This page has no session</h2>
        <p>
          Open the address that <code>scistudio up</code> printed when it started; it holds the token. Or paste that address here. Runs are
          not affected.
        </p>
        <label htmlFor={field}>Printed address, or its token</label>
        <input
          id={field}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="http://127.0.0.1:7100/?token=…"
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <p className={styles.problem} role="alert">
          {problem}
        </p>
        <Button type="submit" kind="primary" disabled={text.trim() === "" || isAsking}>
          Continue
        </Button>
      </form>
    </div>
  );
}

/** The token of a printed address; anything else is taken as the token itself. */
export function tokenIn(text: string): string {
  const plain = text.trim();
  return (URL.canParse(plain) ? new URL(plain).searchParams.get("token") : null) ?? plain;
}
