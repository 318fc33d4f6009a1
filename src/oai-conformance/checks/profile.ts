/** Whose guidelines are looked at beside the protocol. */
export const profiles = ['base', 'openaire', 'irdb'] as const;
export type Profile = (typeof profiles)[number];
