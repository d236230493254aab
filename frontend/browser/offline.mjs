/** Lose the network in the middle of a run; when it comes back the page shows what happened meanwhile. Prints JSON. */
import { writeFileSync } from "node:fs";
import { shows, withPage } from "./page.mjs";

const [url, chromium, go] = process.argv.slice(2);

const seen = await withPage(url, chromium, async (page, context, faults) => {
  await page.getByText("faults").first().click();
  await page.getByTestId("workflow-waits").click();
  await page.getByTestId("block-wait").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await shows(page, "wait", "running");
  await context.setOffline(true);
  writeFileSync(go, "");
  await page.waitForFunction(() => !document.body.innerText.includes("Live"), null, { timeout: 30_000 }).catch(() => undefined);
  await context.setOffline(false);
  await shows(page, "louder", "done");
  return { faults };
});
console.log(JSON.stringify(seen));
