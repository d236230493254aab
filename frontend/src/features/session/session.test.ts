// @vitest-environment jsdom
import { expect, it } from "vitest";
import { tokenIn } from "./SessionLost";

it.each([
  ["http://127.0.0.1:7100/?token=a-b_c", "a-b_c"],
  ["http://127.0.0.1:7100/?token=a-b_c#/projects/project-1", "a-b_c"],
  ["  a-b_c\n", "a-b_c"],
  ["http://127.0.0.1:7100/", "http://127.0.0.1:7100/"],
])("finds the token in %j", (text, token) => expect(tokenIn(text)).toBe(token));
