// The words of the program that pages, guides and commands do not say.

/**
 * What a crew does not say. Titles of the demo keep their own word; names of events and of tables are the program's.
 */
export const unsaid =
  /\b(?:mint(?:s|ed|ing)?|revok(?:e|ed|es|ing)|engagements?|accountable|grants?|granted|unscheduled|not scheduled|audit|webhooks?|general call|changes[ _]requested|pending|wip|turnovers|(?:this|the) turnover(?! release)|nodes?)\b/i;
