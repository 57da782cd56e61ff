// What `tallylight doctor --online` says about the configured providers.
import type { Config } from "../../core/config.ts";
import type { Finding } from "../../core/feature.ts";
import { closing } from "../../core/store/files.ts";
import { openProviders } from "./providers.ts";

/** Asks each provider whether it responds. One that is not configured is in order. */
export const checkData = (_data: string, config: Config): Promise<Finding[]> =>
  closing(openProviders(config), async (providers) =>
    (await providers.check()).map(({ name, configured, answers, detail }) => {
      const ok = answers || !configured;
      return { check: name, ok, detail: ok ? detail : "does not respond correctly", items: ok ? [] : [detail] };
    }),
  );
