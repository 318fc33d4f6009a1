import { expect, test } from 'vitest';
import { wordsIn } from '../../../../src/server/admin/page/language.ts';
import { fileFacts } from '../../../../src/server/admin/sources/file-facts.ts';
import type { SourceDetails } from '../../../../src/store/reading/source-details.ts';

const noFiles: SourceDetails['files'] = {
  ...{ unchecked: 0, confirmed: 0, refused: 0, gone: 0, unreachable: 0 },
  ...{ mirrored: 0, waitingForRoom: 0, otherBytes: 0, atPrivateAddresses: 0 },
};

function details(files: Partial<SourceDetails['files']>): SourceDetails {
  return {
    ...{ runs: [], problems: [], lessons: [], unreadable: 0, versionsGivenUp: 0 },
    files: { ...noFiles, ...files },
    withheldFiles: { refused: 2, gone: 0, atPrivateAddresses: 0, fuseAt: undefined },
    vanished: { items: 0, resources: 0, runId: undefined },
  };
}

const shown = (files: Partial<SourceDetails['files']>, language: 'en' | 'ja') => {
  const facts = fileFacts(details(files), wordsIn(language));
  return facts === false ? '' : facts.text;
};

test('the page of a source tells files that are not asked for from those that are refused', () => {
  const files = { confirmed: 1200, refused: 5, atPrivateAddresses: 7 };
  const en = shown(files, 'en');
  expect(en).toContain('<li>For everybody: 1,200</li>');
  expect(en).toContain('<li>Published, and not served at present: 2</li>');
  expect(en).toContain('<li>Refused by their servers, and not published: 3</li>');
  expect(en).toContain('<li>At addresses that are not public: not asked for, and not published: 7</li>');
  expect(en).toContain('allowPrivateAddresses');
  expect(shown(files, 'ja')).toContain('プライベートアドレスにあるため確認していないもの（未公開）： 7');
});

test('the page of a source is silent about what there is none of', () => {
  const en = shown({ confirmed: 1 }, 'en');
  expect(en).not.toMatch(/Gone|not public|Mirrored/);
  expect(fileFacts(undefined, wordsIn('en'))).toBe(false);
});
