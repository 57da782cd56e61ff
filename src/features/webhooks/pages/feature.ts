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
      show: () => import("./webhooks_page.ts").then((m) => m.showWebhooks),
      submit: () => import("./webhooks_page.ts").then((m) => m.submitWebhooks),
      setting: {
        group: "Server",
        label: "Notify programs",
        place: 80,
        about: "Where events are delivered to, and what was delivered.",
        state: () => import("./settings_state.ts").then((m) => m.webhooksState),
      },
    },
  ],
};
