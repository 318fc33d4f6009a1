import { readTokenSecret } from '../../store/oai/token-secret.ts';
import type { ServerDeps } from '../deps.ts';

/** What tokens are signed with, asked for once. */
export function createSecret({ database }: Pick<ServerDeps, 'database'>): () => Promise<string> {
  let secret: Promise<string> | undefined;
  return () => {
    secret ??= readTokenSecret(database).catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return secret;
  };
}
