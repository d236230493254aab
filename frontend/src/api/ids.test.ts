import { expect, it } from "vitest";
import { newId } from "./ids";

it("makes UUIDs of version 7 that sort by age", () => {
  const ids = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map(newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
});
