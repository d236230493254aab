import { LoaderCircle, Wifi, WifiOff, type LucideIcon } from "lucide-react";
import type { ConnectionState } from "../../api/eventStream";
import { useAppStore } from "../../store/store";
import styles from "./ConnectionMark.module.css";

const LOOKS: Record<ConnectionState, { label: string; hint: string; icon: LucideIcon }> = {
  connecting: { label: "Connecting", hint: "Asking for live events.", icon: LoaderCircle },
  open: { label: "Live", hint: "States are shown as they change.", icon: Wifi },
  reconnecting: {
    label: "Reconnecting",
    hint: "The connection was lost; what is missed now is shown after it is back. Runs go on.",
    icon: LoaderCircle,
  },
  offline: {
    label: "Offline",
    hint: "This computer has no network; what is missed now is shown after it is back. Runs go on.",
    icon: WifiOff,
  },
};

export function ConnectionMark() {
  const connection = useAppStore((state) => state.connection);
  const { label, hint, icon: Icon } = LOOKS[connection];
  return (
    <span className={styles.mark} data-state={connection} role="status" title={hint} data-testid="connection">
      <Icon size={14} aria-hidden />
      {label}
    </span>
  );
}
