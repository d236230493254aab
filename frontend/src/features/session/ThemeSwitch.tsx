import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../design/Button";
import { readTheme, setTheme, type Theme } from "../../design/theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };
const NAMES: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };

/** As the system, light, dark; kept in this browser. */
export function ThemeSwitch() {
  const [theme, setShown] = useState(readTheme);
  const Icon = ICONS[theme];
  const change = () => {
    setTheme(NEXT[theme]);
    setShown(NEXT[theme]);
  };
  return (
    <IconButton
      label={`Colours: ${NAMES[theme]}. Change to ${NAMES[NEXT[theme]]}`}
      icon={<Icon size={16} aria-hidden />}
      onClick={change}
      data-testid="theme"
    />
  );
}
