// Before the first paint, so that a chosen theme does not flash. Kept apart: the page's policy allows no inline script.
try {
  const theme = localStorage.getItem("scistudio.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's scheme is used.
}
