/** Names of adapters, in the order in which they are preferred. */
export const protocols = ['dspace', 'dspace-legacy', 'oai-pmh', 'resourcesync'] as const;
export type Protocol = (typeof protocols)[number];
