// Draws a QR code of a text as an SVG image.
import { encode } from "uqr";

/** The modules of a code with the quiet zone that readers need: true is dark. Throws for more than 2,331 bytes. */
export const qrModules = (text: string): boolean[][] => encode(text, { ecc: "M", border: 4 }).data;

/** The code as the address of an SVG image. */
export function qrImage(text: string): string {
  const modules = qrModules(text);
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  const { length: size } = modules;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
