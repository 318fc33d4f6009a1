import { isObject } from '../../core/config/schema-faults.ts';
import { BridgeError } from '../../core/errors.ts';
import type { SettingsPatch } from '../../server/deps.ts';

type Settings = Readonly<Record<string, unknown>>;

/**
 * What somebody may change who does not sit at this machine: nothing by which requests would go elsewhere, or with other
 * words to the repository.
 */
const changeable = [
  ...['title', 'group', 'formats', 'collections', 'files', 'entityTypes', 'timeZone', 'crosswalk'],
  ...['schedule', 'fullPass', 'identifierPass', 'requestsPerHost', 'pageSize', 'overlapSeconds'],
  ...['deletionFuse', 'search', 'mementos', 'sets'],
];

/**
 * JSON Merge Patch (RFC 7396) of the settings of a source.
 * @throws BridgeError `usage` naming a setting that may not be changed here
 */
export function patchedSettings(before: Settings, patch: SettingsPatch): Settings {
  const other = Object.keys(patch).find((key) => !changeable.includes(key));
  if (other !== undefined)
    throw new BridgeError(
      'usage',
      `${other} cannot be changed here; these can: ${changeable.join(', ')}; of a source of the database, rsbridge sources edit changes all of them`,
    );
  return merged(before, patch);
}

function merged(before: Settings, patch: Settings): Settings {
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) after.delete(key);
    else if (!isObject(value)) after.set(key, value);
    else {
      const inner = after.get(key);
      const next = merged(isObject(inner) ? inner : {}, value);
      if (Object.keys(next).length > 0) after.set(key, next);
      else after.delete(key);
    }
  }
  return Object.fromEntries(after);
}
