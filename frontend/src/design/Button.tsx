import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./Button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "plain" | "primary" | "danger" | "quiet";
  icon?: ReactNode;
}

export function Button({ kind = "plain", icon, children, className = "", ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${styles.button} ${styles[kind] ?? ""} ${className}`} {...rest}>
      {icon}
      {children}
    </button>
  );
}

/** A button that is only an icon: `label` is read aloud and shown on hover. */
export function IconButton({
  label,
  icon,
  className = "",
  ...rest
}: { label: string; icon: ReactNode } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" className={`${styles.icon} ${className}`} aria-label={label} title={label} {...rest}>
      {icon}
    </button>
  );
}
