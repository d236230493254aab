/** What browser tests share: Chromium, the page of a running SciStudio, and the states that its blocks show. */
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Open `url` in a browser of its own; `visit` gets the page, its context, and a list that faults of the page are added to. */
export async function withPage(url, executablePath, visit) {
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(url);
    return await visit(page, context, faults);
  } finally {
    await browser.close();
  }
}

/** Note each state that the block shows from now on. */
export async function watch(page, block) {
  await page.evaluate((id) => {
    const seen = (window.seenStates = []);
    const look = () => {
      const node = document.querySelector(`[data-testid="block-${id}"]`);
      const state = node?.getAttribute("data-state") ?? node?.querySelector("[data-state]")?.getAttribute("data-state");
      if (state && seen.at(-1) !== state) seen.push(state);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    look();
  }, block);
}

export const statesSeen = (page) => page.evaluate(() => window.seenStates);

/** Wait until a block shows a state. */
export function shows(page, block, state) {
  const node = `[data-testid="block-${block}"]`;
  return page.waitForSelector(`${node}[data-state="${state}"], ${node} [data-state="${state}"]`, { timeout: 60_000 });
}
