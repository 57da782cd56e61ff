// What the conformance suite expects a server to offer, as a registry for our dispatcher: every handler returns what
// the suite prescribes, and the dispatcher alone parses and answers messages.
import { unprocessable } from "../../src/core/errors.ts";
import type { Prompt } from "../../src/features/mcp/prompts.ts";
import type { Handler, Registry } from "../../src/features/mcp/registry.ts";

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const image = { type: "image", data: png, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, text: string) => ({
  type: "resource",
  resource: { uri, mimeType, text },
});

const tool = (
  name: string,
  description: string,
  content: readonly object[] | (() => never),
  schema: object = {},
): Handler => ({
  listing: { name, description, inputSchema: { type: "object", properties: {}, ...schema } },

  authorize: () => {},
  answer: async () => ({
    text: JSON.stringify({ content: typeof content === "function" ? content() : content, isError: false }),
    cacheable: false,
  }),
});

const source = (uri: string, name: string, mimeType: string, body: object): Handler => ({
  listing: { uri, name, description: `${name} of the conformance suite`, mimeType },

  authorize: () => {},
  answer: async () => ({ text: JSON.stringify({ contents: [{ uri, mimeType, ...body }] }), cacheable: false }),
});

const prompt = (
  name: string,
  parameters: readonly string[],
  contentsFor: (given: Readonly<Record<string, unknown>>) => readonly object[],
): Prompt => ({
  listing: {
    name,
    description: `${name} of the conformance suite`,
    arguments: parameters.map((parameter) => ({ name: parameter, description: parameter, required: true })),
  },
  authorize: () => {},
  answer: (given) => JSON.stringify({ messages: contentsFor(given).map((content) => ({ role: "user", content })) }),
});

const text = (words: string) => ({ type: "text", text: words });

/** The tool whose schema must be listed unchanged. */
const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const byName = <T extends { listing: { name: string } }>(handlers: readonly T[]): Map<string, T> =>
  new Map(handlers.map((handler) => [handler.listing.name, handler]));

export const conformanceRegistry: Registry = {
  tools: byName([
    tool("test_simple_text", "Text", [text("This is a simple text response for testing.")]),
    tool("test_image_content", "An image", [image]),
    tool("test_audio_content", "Audio", [{ type: "audio", data: wav, mimeType: "audio/wav" }]),
    tool("test_embedded_resource", "A resource", [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ]),
    tool("test_multiple_content_types", "All kinds", [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ]),
    tool("test_error_handling", "A refusal", () => {
      throw unprocessable("This tool intentionally returns an error for testing");
    }),
    tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", [text("ok")], schema2020),
  ]),
  resources: new Map(
    [
      source("test://static-text", "static text", "text/plain", {
        text: "This is the content of the static text resource.",
      }),
      source("test://static-binary", "static binary", "image/png", { blob: png }),
    ].map((handler) => [handler.listing.uri as string, handler]),
  ),
  prompts: byName([
    prompt("test_simple_prompt", [], () => [text("This is a simple prompt for testing.")]),
    prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
      text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    ]),
    prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri }) => [
      resource(String(resourceUri), "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ]),
    prompt("test_prompt_with_image", [], () => [image, text("Please analyze the image above.")]),
  ]),
};
