import type { AdapterContext } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { asText, embeddedList, type JsonObject } from './json-value.ts';
import { isRestError } from './rest-error.ts';
import type { RestService } from './rest-service.ts';

const lesson = 'special-groups';

/**
 * Whoever reads what is to be published must see what everybody sees. Configured headers may log in, and DSpace may take
 * the address of this machine for one of its own network.
 * @throws BridgeError `config-invalid` when what is asked is asked as an account
 */
export async function ensureAnonymous(
  rest: RestService,
  { lessons }: Pick<AdapterContext, 'lessons'>,
  signal: AbortSignal,
): Promise<void> {
  let status: JsonObject | undefined;
  try {
    status = await rest.get('/authn/status', [['embed', 'specialGroups']], { signal });
  } catch (error) {
    // Where nobody can log in, nobody has.
    if (isRestError(error) && error.status < 500) return;
    throw error;
  }
  if (status?.authenticated === true) {
    throw new BridgeError(
      'config-invalid',
      `${rest.base} takes our requests for those of an account because of the configured \`headers\`: restricted content would be published (use \`login\`)`,
    );
  }
  const groups = embeddedList(status ?? {}, 'specialGroups')?.rows ?? [];
  const names = groups
    .map((group) => asText(group.name)?.slice(0, 80) ?? 'a group without a name')
    .join(', ');
  if (names === '') {
    lessons.forget(lesson);
    return;
  }
  const sentence = say('not-anonymous', { names });
  lessons.learn(lesson, names, sentence);
}
