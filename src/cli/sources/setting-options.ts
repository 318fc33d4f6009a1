import { InvalidArgumentError } from 'commander';

/** `files.mode=mirror`: a setting by its path, with a value as it would stand in the configuration. */
export interface Setting {
  readonly path: readonly string[];
  /** As typed. */
  readonly text: string;
}

/** For an option that may be repeated. @throws InvalidArgumentError */
export function settingOption(typed: string, before: readonly Setting[] = []): readonly Setting[] {
  const [, path = '', text = ''] = /^([A-Za-z][\w.-]*)=([\s\S]*)$/.exec(typed) ?? [];
  if (path === '') throw new InvalidArgumentError('write KEY=VALUE, such as files.mode=mirror');
  return [...before, { path: path.split('.'), text }];
}

export function pathOption(text: string, before: readonly (readonly string[])[] = []): string[][] {
  return [...before.map((path) => [...path]), text.split('.')];
}
