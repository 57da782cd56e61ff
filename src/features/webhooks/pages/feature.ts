// The page of webhooks.
import type { Feature } from "../../../core/feature.ts";

export const webhooksPages: Feature = {
  name: "webhooks/pages",
  url: import.meta.url,
  needs: ["webhooks", "pages"],
  pages: [
    {
      path: "/settings/webhooks",
      reach: "admin",
      file: "./webhooks_page.ts",
      show: "showWebhooks",
      submit: "submitWebhooks",
      setting: {
        group: "The server",
        label: "Webhooks",
        place: 80,
        about: "Where events are delivered to, and what was delivered.",
      },
    },
  ],
};
