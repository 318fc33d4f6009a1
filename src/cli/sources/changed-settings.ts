import { parse } from 'yaml';
import { isObject } from '../../core/config/schema-faults.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Setting } from './setting-options.ts';

type Settings = Readonly<Record<string, unknown>>;

/**
 * @param unset the paths of settings that go; what is left empty by that goes, too
 * @throws BridgeError `usage` where a value is not YAML
 */
export function changedSettings(
  before: Settings,
  set: readonly Setting[],
  unset: readonly (readonly string[])[] = [],
): Settings {
  let settings = before;
  for (const path of unset) settings = withSetting(settings, path, undefined);
  for (const setting of set) settings = withSetting(settings, setting.path, parsed(setting));
  return settings;
}

function parsed({ path, text }: Setting): unknown {
  try {
    return parse(text) ?? '';
  } catch (cause) {
    throw new BridgeError('usage', `the value of ${path.join('.')} is not YAML; put it in quotes`, { cause });
  }
}

function withSetting(settings: Settings, [key = '', ...rest]: readonly string[], value: unknown): Settings {
  const { [key]: before, ...others } = settings;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  const inner = withSetting(isObject(before) ? before : {}, rest, value);
  return Object.keys(inner).length === 0 ? others : { ...others, [key]: inner };
}
