/** As pino counts them. By itself, for whoever logs and has no database. */
export const logLevels = { info: 30, warn: 40, error: 50, fatal: 60 } as const;
export type LogLevel = keyof typeof logLevels;
