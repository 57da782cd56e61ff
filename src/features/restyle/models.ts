// The models of the restyle provider.

export const restyleModels = ["lucy-2.5", "lucy-restyle-2"] as const;
