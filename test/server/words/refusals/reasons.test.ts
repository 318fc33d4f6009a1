import { expect, test } from 'vitest';
import { explain } from '../../../../src/bridge/finding/explain.ts';
import { parseAddress } from '../../../../src/bridge/finding/find-any.ts';
import type { Found } from '../../../../src/bridge/finding/find-repository.ts';
import { nothingFound } from '../../../../src/bridge/finding/nothing-found.ts';
import { refuseKnown, refuseTaken } from '../../../../src/bridge/sources/new-source.ts';
import { pauseEnd } from '../../../../src/bridge/sources/pause-end.ts';
import { parseConfig } from '../../../../src/core/config/config.ts';
import { type Reason, type ReasonCode, reasonIn, say } from '../../../../src/core/reasons/reason.ts';
import { sentences } from '../../../../src/core/reasons/sentences.ts';
import { inJapanese, reasonInJapanese } from '../../../../src/server/words/refusals/reasons.ts';

const now = new Date('2026-11-26T12:00:00Z');
const config = parseConfig({ sources: { nara: { url: 'https://nara.example.ac.jp/oai' } } });

function said(refused: () => unknown): string {
  try {
    refused();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

test.each([
  [() => pauseEnd('来週', now), /^「来週」は日時として読み取れません。.*「月曜」/],
  [() => pauseEnd('2020-01-01', now), /^2020-01-01T00:00:00Z は過ぎています/],
  [() => refuseTaken({ config }, 'nara'), /^nara という名前のソースはすでにあります/],
  [() => refuseTaken({ config }, 'admin'), /^admin はブリッジ自身のページの名前です/],
  [
    () => refuseKnown({ config }, 'https://nara.example.ac.jp/oai'),
    /^https:\/\/nara\.example\.ac\.jp\/oai は、ソース nara としてすでに登録されています$/,
  ],
  [() => parseAddress('http://['), /^「http:\/\/\[」は Web のアドレスではありません$/],
  [() => parseAddress('https://a:b@repo.example.org/'), /^repo\.example\.org のアドレスに.*除いてください$/],
])('a refusal is said in Japanese: %#', (refused, japanese) => {
  const message = said(refused);
  expect(inJapanese(message)).toMatch(japanese);
});

test.each([
  [
    'The record oai:a:1 cannot be read: unexpected close tag.',
    'レコード oai:a:1 を読み取れません: 対応しない終了タグがあります',
  ],
  ['gone: 0 created, 0 updated, 1 deleted', 'リポジトリにはもうありません。新規 0 件、変更 0 件、削除 1 件'],
])('what became of records and tasks: %s', (said, japanese) => {
  expect(inJapanese(said)).toBe(japanese);
});

const url = 'https://repo.example.ac.jp/server/api';
const oai = { url: 'https://repo.example.ac.jp/server/oai/request' };
const api = { version: 'DSpace 9.3', url, adapter: 'dspace' };

test.each([
  [{ adapter: 'dspace', url, api, oai }, /^DSpace 9\.3 です。REST API は https:/],
  [{ adapter: 'dspace', url, api }, /OAI-PMH のエンドポイントは見つかりませんでしたが/],
  [
    { adapter: 'dspace-legacy', url, oai },
    /^DSpace 5 または 6 です。.*https:\/\/repo\.example\.ac\.jp\/server\/oai\/request です/,
  ],
  [{ adapter: 'dspace-legacy', url }, /毎晩一回/],
  [
    { adapter: 'oai-pmh', url: oai.url, api, apiTrouble: 'it asks for a login' },
    /現在はハーベストできません（it asks for a login）/,
  ],
  [
    { adapter: 'resourcesync', url, info: { protocol: 'ResourceSync', deletedRecords: 'persistent' } },
    /変更リストから/,
  ],
  [
    { adapter: 'resourcesync', url, info: { protocol: 'ResourceSync', deletedRecords: 'no' } },
    /変更リストがない/,
  ],
  [{ adapter: 'resourcesync', url, info: { protocol: 'Sitemap' } }, /^通常のサイトマップです/],
])('what was found is said in Japanese: %#', (found, japanese) => {
  const said = explain(found as unknown as Found, (other) => `look again, by ${other}`).map(inJapanese);
  expect(said).not.toContain(undefined);
  expect(said.join('')).toMatch(japanese);
});

test.each(['all', 'usual'] as const)('that nothing was found is said with what was tried: %s', (telling) => {
  const given = { url: 'https://repo.example.ac.jp/', reason: 'HTTP status 404' };
  const other = { url: 'https://repo.example.ac.jp/oai', reason: 'an HTML page' };
  const address = 'https://repo.example.ac.jp/';
  const told = inJapanese(nothingFound(address, 'DSpace, OAI-PMH or ResourceSync', [given, other], telling));
  expect(told).toMatch(
    /^https:\/\/repo\.example\.ac\.jp\/ には、ハーベストできるもの（DSpace、OAI-PMH、ResourceSync）が/,
  );
  expect(told).toContain('https://repo.example.ac.jp/ の応答: HTTP status 404。');
  expect(told?.includes('\n  https://repo.example.ac.jp/oai: an HTML page\n')).toBe(telling === 'all');
});

const codes = Object.keys(sentences) as ReasonCode[];

/** A word for each fact, a sentence where the fact is one. */
function someFacts(code: ReasonCode): Readonly<Record<string, string>> {
  const names = [...sentences[code].matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name, index) => [name, String(index + 11)]));
}

test.each(codes)('a kept sentence is told as well as a fresh one: %s', (code) => {
  const facts = someFacts(code);
  const said = say(code, facts as never);
  expect(reasonIn(said)).toEqual({ code, facts });
  const fresh = reasonInJapanese({ code, facts } as unknown as Reason);
  expect(inJapanese(said)).toBe(fresh);
  expect(fresh).not.toMatch(/undefined|\{|NaN/);
});

test('a reason within a reason is told, too', () => {
  const why = say('host-unknown', { host: 'repo.example.org' });
  expect(inJapanese(say('host-unreachable', { host: 'repo.example.org', why }))).toBe(
    'repo.example.org に接続できません: repo.example.org という名前のホストは見つかりません',
  );
});

test('what is wrong with settings is told place by place', () => {
  const sources = { a: { url: 'https://repo.example.org/oai', shedule: '1', timeoutSeconds: 'soon' } };
  const message = said(() => parseConfig({ sources }));
  expect(inJapanese(message)?.split('\n')).toEqual([
    'sources.a.shedule: この設定はありません（「schedule」のことですか）',
    expect.stringMatching(/^sources\.a\.timeoutSeconds: "soon" は書けません。書けるもの: .*数$/),
  ]);
});

test('hostile facts stay facts', () => {
  const text = '$& {name} [x] (.*) \\ \u202e <script>';
  const said = say('time-unreadable', { text });
  expect(said.startsWith(`"${text}" is no time; `)).toBe(true);
  expect(reasonIn(said)).toEqual({ code: 'time-unreadable', facts: { text } });
});

test('what is longer than any sentence of ours is told as it came', () => {
  expect(inJapanese(say('answered-error', { text: 'x'.repeat(1000) }))).toContain(
    'リポジトリがエラーを返しました',
  );
  expect(inJapanese(say('answered-error', { text: 'x'.repeat(100_000) }))).toBeUndefined();
});

test('what nobody has translated is told as it was said', () => {
  expect(inJapanese('something else')).toBeUndefined();
});
