/** What hubs are answered at the callbacks that we gave them (WebSub). */
export interface Follower {
  /** A hub asks whether we want what it was asked for. @returns what it is answered; undefined: we asked for no such thing */
  confirm(key: string, asked: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** A hub tells of changes. @returns whether anybody listens there */
  receive(key: string, body: Buffer, signature: string | undefined): Promise<boolean>;
}

/** Below `baseUrl`; a source cannot be called `api`. */
export const callbackPath = 'api/websub';
