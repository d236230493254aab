import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  base: "./", // the gateway may serve the page below a prefix
  build: {
    outDir: "../services/gateway/src/scistudio_gateway/page",
    emptyOutDir: true,
    target: "es2023",
    // The page's policy allows no inline sources, and small files are cheap on one connection.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 640, // kB before compression; about 180 kB as sent
  },
  server: {
    // `npm run dev` beside a running `scistudio up`: SCISTUDIO_URL names its address.
    proxy: { "/api": { target: process.env.SCISTUDIO_URL ?? "http://127.0.0.1:7100", ws: true, changeOrigin: true } },
  },
  test: { unstubGlobals: true }, // a test that needs a document says so in its first line
});
