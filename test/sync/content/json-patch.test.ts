import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { patchRelation } from '../../../src/core/resource.ts';
import { applyJsonPatch } from '../../../src/sync/content/json-patch.ts';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { Copy } from '../../house/sync/copy.ts';

const patched = (base: string, ...operations: object[]) =>
  applyJsonPatch(Buffer.from(base), Buffer.from(JSON.stringify(operations))).map((bytes) =>
    Buffer.from(bytes).toString(),
  );

// RFC 6902, Appendix A.
test.each([
  ['A.1', '{"foo":"bar"}', { op: 'add', path: '/baz', value: 'qux' }, { baz: 'qux', foo: 'bar' }],
  [
    'A.2',
    '{"foo":["bar","baz"]}',
    { op: 'add', path: '/foo/1', value: 'qux' },
    { foo: ['bar', 'qux', 'baz'] },
  ],
  ['A.3', '{"baz":"qux","foo":"bar"}', { op: 'remove', path: '/baz' }, { foo: 'bar' }],
  ['A.4', '{"foo":["bar","qux","baz"]}', { op: 'remove', path: '/foo/1' }, { foo: ['bar', 'baz'] }],
  ['A.5', '{"baz":"qux"}', { op: 'replace', path: '/baz', value: 'boo' }, { baz: 'boo' }],
  [
    'A.6',
    '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
    { op: 'move', from: '/foo/waldo', path: '/qux/thud' },
    { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  ],
  [
    'A.7',
    '{"foo":["all","grass","cows","eat"]}',
    { op: 'move', from: '/foo/1', path: '/foo/3' },
    { foo: ['all', 'cows', 'eat', 'grass'] },
  ],
  ['A.8', '{"foo":["a",2,"c"]}', { op: 'test', path: '/foo/1', value: 2 }, { foo: ['a', 2, 'c'] }],
  ['A.11', '{"foo":"bar"}', { op: 'add', path: '/baz', value: 1, xyz: 2 }, { foo: 'bar', baz: 1 }],
  ['A.14', '{"/":9,"~1":10}', { op: 'test', path: '/~01', value: 10 }, { '/': 9, '~1': 10 }],
  ['A.16', '{"foo":["bar"]}', { op: 'add', path: '/foo/-', value: ['a'] }, { foo: ['bar', ['a']] }],
])('example %s', (_name, base, operation, result) => {
  expect(JSON.parse(patched(base, operation)[0] ?? '')).toEqual(result);
});

test.each([
  ['A.9', '{"baz":"qux"}', { op: 'test', path: '/baz', value: 'bar' }],
  ['A.12', '{"foo":"bar"}', { op: 'add', path: '/baz/bat', value: 'qux' }],
  ['A.15', '{"~1":10}', { op: 'test', path: '/~01', value: '10' }],
  ['a place behind the end', '[1]', { op: 'add', path: '/3', value: 2 }],
  ['an operation that is none', '{}', { op: 'merge', path: '' }],
  ['what is not there', '{}', { op: 'remove', path: '/a' }],
])('%s is refused', (_name, base, operation) => {
  expect(() => patched(base, operation)).toThrow();
});

test('a patch changes nothing but its document', () => {
  patched('{}', { op: 'add', path: '/__proto__/polluted', value: 1 });
  expect({}).not.toHaveProperty('polluted');
});

test('all of it may be replaced', () => {
  expect(patched('{"a":1}', { op: 'replace', path: '', value: [2] })[0]).toBe('[2]');
});

test('the result is written as the text before was, or in one line', () => {
  const base = '{\n    "a": 1\n}\n';
  const [first, ...others] = patched(base, { op: 'add', path: '/b', value: [2] });
  expect(first).toBe('{\n    "a": 1,\n    "b": [\n        2\n    ]\n}\n');
  expect(others).toContain('{"a":1,"b":[2]}');
});

test('a copy takes the patch of a JSON resource in place of the whole', async () => {
  const source = await WrittenSource.open();
  const copy = new Copy({ origin: source.origin, now: '2026-11-02T00:00:00Z' });
  try {
    const [before, after] = ['old', 'new'].map((title) =>
      JSON.stringify({ title, text: 'x'.repeat(2000) }, null, 2),
    ) as [string, string];
    const patch = JSON.stringify([{ op: 'replace', path: '/title', value: 'new' }]);
    const entry = (text: string, facts = '', more = '') =>
      `<url><loc>${source.origin}/a.json</loc><rs:md ${facts} hash="${sha256(text)}" length="${text.length}" type="application/json"/>${more}</url>`;
    const changes = (entries: string) =>
      source.put(
        '/changes.xml',
        `<urlset ${namespaces}><rs:md capability="changelist" from="2026-11-01T00:00:00Z"/>${entries}</urlset>`,
      );
    source.put(
      '/.well-known/resourcesync',
      capabilityList(source.origin, { resourcelist: '/list.xml', changelist: '/changes.xml' }),
    );
    source.put('/list.xml', resourceList(entry(before), '2026-11-01T00:00:00Z'));
    source.put('/a.json', before);
    changes('');
    await copy.sync();
    source.put('/a.json', after);
    source.put('/a.patch', patch);
    const link = `<rs:ln rel="${patchRelation}" href="${source.origin}/a.patch" type="application/json-patch+json" length="${patch.length}" hash="md5:${createHash('md5').update(patch).digest('hex')}"/>`;
    changes(entry(after, 'change="updated" datetime="2026-11-01T12:00:00Z"', link));
    source.turnPage();
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, patched: 1 }, isComplete: true });
    expect(copy.contents()).toEqual({ 'a.json': after });
    expect(source.asked).not.toContain('/a.json');
  } finally {
    copy.end();
    await source.close();
  }
});
