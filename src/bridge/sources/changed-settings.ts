import { parse } from 'yaml';
import { isObject } from '../../core/config/schema-faults.ts';
import { BridgeError } from '../../core/errors.ts';

type Settings = Readonly<Record<string, unknown>>;

/** `files.mode=mirror`: a setting by its path, with a value as it would stand in the configuration. */
export interface TypedSetting {
  readonly path: readonly string[];
  /** As typed: YAML. */
  readonly text: string;
}

/**
 * @param unset the paths of settings that go; what is left empty by that goes, too
 * @throws BridgeError `usage` where a value is not YAML
 */
export function changedSettings(
  before: Settings,
  set: readonly TypedSetting[],
  unset: readonly (readonly string[])[] = [],
): Settings {
  let settings = before;
  for (const path of unset) settings = withSetting(settings, path, undefined);
  for (const setting of set) settings = withSetting(settings, setting.path, parsed(setting));
  return settings;
}

function parsed({ path, text }: TypedSetting): unknown {
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
