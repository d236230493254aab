import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** Imports that would turn the layers (design, api → store → features → app) upside down. */
const forbid = (regex, message) => ({ "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] });

/** Browser tests run in Node, and hand functions to the page. */
const browserScripts = { console: "readonly", document: "readonly", MutationObserver: "readonly", process: "readonly", window: "readonly" };

export default tseslint.config(
  { ignores: ["dist", "public", "src/api/schema.d.ts", "generator"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/prefer-for-of": "off", // an indexed loop is several times quicker over a million values
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }], // an empty text stands for none
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      "max-lines": ["error", 400],
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  { files: ["src/features/**"], rules: forbid(String.raw`^\.\./(?!\.\./)|/app(/|$)`, "Features do not know each other; app/ joins them.") },
  { files: ["src/store/**"], rules: forbid("/(features|app)/", "The store knows no feature.") },
  { files: ["src/api/**", "src/design/**"], rules: forbid("/(store|features|app)/", "This layer is below the store and the features.") },
  { files: ["*.js", "browser/*.mjs"], extends: [tseslint.configs.disableTypeChecked] },
  { files: ["browser/*.mjs"], languageOptions: { parserOptions: { projectService: false }, globals: browserScripts } },
  {
    files: ["src/**/*.test.ts"],
    rules: { "@typescript-eslint/no-misused-spread": "off", "@typescript-eslint/no-confusing-void-expression": "off" },
  },
);
