import type { SourcePort } from '../source-port.ts';

/** A way out that notes the status of each address that was asked for, the latest. */
export interface NotingPort extends SourcePort {
  readonly statuses: ReadonlyMap<string, number>;
}

export function notingPort(port: SourcePort): NotingPort {
  const statuses = new Map<string, number>();
  return {
    ...port,
    statuses,
    get: async (uri, purpose, headers) => {
      const response = await port.get(uri, purpose, headers);
      statuses.set(uri, response.status);
      return response;
    },
  };
}
