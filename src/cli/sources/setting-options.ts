import { InvalidArgumentError } from 'commander';
import type { TypedSetting } from '../../bridge/sources/changed-settings.ts';

/** For an option that may be repeated. @throws InvalidArgumentError */
export function settingOption(typed: string, before: readonly TypedSetting[] = []): readonly TypedSetting[] {
  const [, path = '', text = ''] = /^([A-Za-z][\w.-]*)=([\s\S]*)$/.exec(typed) ?? [];
  if (path === '') throw new InvalidArgumentError('write KEY=VALUE, such as files.mode=mirror');
  return [...before, { path: path.split('.'), text }];
}

export function pathOption(text: string, before: readonly (readonly string[])[] = []): string[][] {
  return [...before.map((path) => [...path]), text.split('.')];
}
