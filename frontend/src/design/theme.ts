export type Theme = "system" | "light" | "dark";

const KEY = "scistudio.theme"; // public/theme.js reads it before the first paint

export function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Kept in this browser only. Where storage is switched off it holds until the page is left. */
export function setTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // see above
  }
}
