import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyXmlPatch, diffXml } from '../../../src/core/xml/xml-patch.ts';
import { documentPairs } from '../../house/core/xml-documents.ts';
import { countSteps } from '../../house/process/steps.ts';
import { runs } from '../../house/runs.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Long enough that a patch pays. */
const record = (title: string, more = '', before = '') => `<oai_dc:dc
    xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:title>${title}</dc:title>${before}
  <dc:creator>Murasaki Shikibu</dc:creator>
  <dc:creator>Sei Shōnagon</dc:creator>${more}
  <dc:description>${'A long description that stays as it is. '.repeat(8)}</dc:description>
  <dc:identifier>oai:repo.example.org:1 &amp; 2</dc:identifier>
</oai_dc:dc>`;

/** @returns the operations of the patch, which has been applied with the right result */
function operations(before: string, after: string): string[] {
  const patch = diffXml(bytes(before), bytes(after));
  if (!patch) throw new Error('there is no patch');
  expect(Buffer.from(applyXmlPatch(bytes(before), patch)).toString()).toBe(after);
  return Buffer.from(patch).toString().trim().split('\n<').slice(2, -1);
}

describe('diffXml', () => {
  test('RFC 7351: a changed title is one operation in a patch document', () => {
    const patch = diffXml(bytes(record('Old')), bytes(record('New &lt;b> <![CDATA[<c>]]>')));
    expect(Buffer.from(patch ?? []).toString()).toBe(
      `${declaration}<p:patch xmlns:p="urn:ietf:rfc:7351">
<p:replace sel="/*/*[1]/text()">New &lt;b> <![CDATA[<c>]]></p:replace>
</p:patch>
`,
    );
  });

  test.each([
    [
      'an element that comes',
      record('T', '\n  <dc:date>2020</dc:date>'),
      ['p:add sel="/*/*[4]" pos="before"><dc:date>2020</dc:date>', '  </p:add>'],
    ],
    [
      'a first text',
      record('T', '<dc:type/>').replace('<dc:title>T', '<dc:title xml:lang="en">T'),
      undefined,
    ],
  ])('%s', (_name, after, expected) => {
    const found = operations(record('T'), after);
    if (expected) expect(found.join('\n')).toBe(expected.join('\n'));
  });

  test('an element that goes takes the white space with it that nobody needs', () => {
    expect(operations(record('T', '\n  <dc:date>2020</dc:date>'), record('T'))).toEqual([
      'p:remove sel="/*/*[4]" ws="before"/>',
    ]);
  });

  test('attributes are changed one by one', () => {
    const before = record('T', `\n  <dc:date a="1" b="2" c="3">${'x'.repeat(99)}</dc:date>`);
    const after = record('T', `\n  <dc:date a="1" c="4" xml:lang="ja">${'x'.repeat(99)}</dc:date>`);
    expect(operations(before, after)).toEqual([
      'p:remove sel="/*/*[4]/@b"/>',
      'p:replace sel="/*/*[4]/@c">4</p:replace>',
      'p:add sel="/*/*[4]" type="@xml:lang">ja</p:add>',
    ]);
  });

  test('what is put in brings the namespaces that it uses, also where two have one prefix', () => {
    const before = record('T', '<a:b xmlns:a="urn:1"><c/></a:b><a:b xmlns:a="urn:2"><d/></a:b>');
    const after = record('T', '<a:b xmlns:a="urn:1"><c/><a:e/></a:b><a:b xmlns:a="urn:2"><d/><a:f/></a:b>');
    const patch = Buffer.from(diffXml(bytes(before), bytes(after)) ?? []).toString();
    expect(patch).toContain('<p:patch xmlns:p="urn:ietf:rfc:7351" xmlns:a="urn:2">');
    expect(patch).toContain('<p:add xmlns:a="urn:1" sel="/*/*[4]/*[1]" pos="after"><a:e/></p:add>');
    expect(operations(before, after)).toHaveLength(2);
  });

  test('a document that uses our prefix itself', () => {
    const before = `<p:a xmlns:p="urn:x"><p:b>${'x'.repeat(300)}</p:b></p:a>`;
    const after = before.replace('</p:b>', '</p:b><p:c/>');
    const patch = Buffer.from(diffXml(bytes(before), bytes(after)) ?? []).toString();
    expect(patch).toContain('<pp:patch xmlns:pp="urn:ietf:rfc:7351" xmlns:p="urn:x">');
    operations(before, after);
  });

  test('a namespace that is there already is not declared, and none at all is', () => {
    const [first, second] = ['x', 'y'].map((letter) => letter.repeat(300));
    const before = `<r><a xmlns="urn:a">${first}<b/></a><c>${second}</c></r>`;
    const after = `<r><a xmlns="urn:a">${first}<b/><d/></a><c>${second}<e/></c></r>`;
    const patch = Buffer.from(diffXml(bytes(before), bytes(after)) ?? []).toString();
    expect(patch).toContain('<d/>');
    expect(patch).toMatch(/<p:add xmlns=""[^>]*><e\/>|<p:patch [^>]*xmlns=""/);
    expect(operations(before, after)).toHaveLength(2);
    // An attribute without a prefix is in no namespace, so that it needs none.
    const dated = operations(record('T'), record('T', '<dc:date type="issued">2020</dc:date>'));
    expect(dated).toEqual([expect.not.stringContaining('xmlns=')]);
  });

  test('what stays in its order stays, and the rest comes and goes', () => {
    const kept = ['a', 'b', 'c'].map((name) => `<${name}>${name.repeat(300)}</${name}>`).join('');
    expect(operations(`<r>${kept}<y/></r>`, `<r><x/>${kept}</r>`)).toEqual([
      'p:remove sel="/*/*[4]"/>',
      'p:add sel="/*" pos="prepend"><x/></p:add>',
    ]);
    expect(operations(`<r><y/>${kept}</r>`, `<r>${kept}<x/></r>`)).toHaveLength(2);
  });

  test.each([
    ['the order of attributes', '<i a="1" b="2"/>', '<i b="2" a="1"/>'],
    ['quotes', '<i a="1"/>', "<i a='1'/>"],
    ['space before an attribute', '<i a="1"/>', '<i  a="1"/>'],
    ['space within one', '<i a="1"/>', '<i a = "1"/>'],
    ['space behind them', '<i a="1"/>', '<i a="1" />'],
    ['the form of an empty element', '<i a="1"/>', '<i a="1"></i>'],
    ['a declaration', '<i a="1"/>', '<i a="1" xmlns:n="urn:n"/>'],
    ['space before an attribute that comes', '<i a="1"/>', '<i a="1"  b="2"/>'],
    ['space within one that comes', '<i a="1"/>', '<i a="1" b= "2"/>'],
    ['quotes of an attribute that comes', '<i a="1"/>', `<i a="1" b='2'/>`],
  ])('%s cannot be changed by themselves: the element is replaced', (_name, before, after) => {
    expect(operations(record('T', before), record('T', after))).toEqual([
      `p:replace sel="/*/*[4]">${after}</p:replace>`,
    ]);
  });

  test.each([
    ['comments', '<!-- a > b -->', '<!-- c > <d> " -->'],
    ['instructions', '<?t a > b?>', '<?t "c > d?>'],
    ['CDATA sections', '<![CDATA[a > b]]>', '<![CDATA["c > <d>]]>'],
  ])('%s may hold brackets and quotes', (_name, before, after) => {
    expect(operations(record('T', before), record('T', after)).join('\n')).toContain(after);
  });

  test.each(['"', "'"])('a value between %s may hold brackets', (quote) => {
    const date = (to: string) =>
      `<dc:date a=${quote}/> >${quote} b=${quote}1${quote}>2020<i/>${'x'.repeat(99)}<j c="${to}"/></dc:date>`;
    expect(operations(record('T', date('1')), record('T', date('2')))).toEqual([
      'p:replace sel="/*/*[4]/*[2]/@c">2</p:replace>',
    ]);
  });

  const doctype = `<!DOCTYPE dc [<!ENTITY a "b">]>`;
  test.each([
    ['nothing changed', record('T'), record('T')],
    ['the new document is smaller than its patch', '<a><b>1</b></a>', '<a><b>2</b></a>'],
    ['the root is another', record('T'), record('T').replaceAll('oai_dc:dc', 'oai_dc:cd')],
    ['a namespace changed', record('T'), record('T').replace('dc/elements', 'DC/elements')],
    ['the prolog changed', record('T'), `<!-- new -->${record('T')}`],
    ['the old one is cut off', record('T').slice(0, -20), record('T')],
    ['the new one is not well-formed', record('T'), record('&nbsp;')],
    ['there is a DTD', doctype + record('T'), doctype + record('U')],
    ['it is not UTF-8', record('T'), `<?xml version="1.0" encoding="ISO-8859-1"?>${record('T')}`],
    ['a parser would change it', record('T'), record('a\r\nb')],
    ['everything changed', record('T'), '<x>'.repeat(500) + '</x>'.repeat(500)],
    ['it is too large', `<a>${'x'.repeat(5_000_001)}</a>`, `<a><b/>${'x'.repeat(5_000_001)}</a>`],
    [
      'the old one is too large',
      `<a><b>${'x'.repeat(5_000_000)}</b>${'y'.repeat(999)}</a>`,
      `<a>${'y'.repeat(999)}</a>`,
    ],
    ['the new one is too large', `<a>${'x'.repeat(4_999_990)}</a>`, `<a><b/>${'x'.repeat(4_999_990)}</a>`],
    [
      'it is too deep',
      `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`,
      `${'<a>'.repeat(1000)}x${'</a>'.repeat(1000)}`,
    ],
  ])('RS-LN-11: has no patch when %s', (_name, before, after) => {
    expect(diffXml(bytes(before), bytes(after))).toBeUndefined();
  });

  test('gives up on what would take too long', async () => {
    const list = (length: number, turn: number) =>
      bytes(`<r>${Array.from({ length }, (_, i) => `<i n="${(i * turn) % 9001}"/>`).join('')}</r>`);
    const given = [500, 1000, 9000].map((length) => [list(length, 1), list(length, 7)]);
    for (const { steps, result } of await countSteps('src/core/xml/xml-patch.ts', 'diffXml', ...given)) {
      expect(result).toBeUndefined();
      expect(steps).toBeLessThan(10_000_000);
    }
  });

  test('RS-LN-11: whatever changed, applying the patch gives the new bytes, and there is one', () => {
    fc.assert(
      fc.property(documentPairs, ([before, after]) => {
        const patch = diffXml(bytes(before), bytes(after));
        expect(patch).toBeDefined();
        expect(Buffer.from(applyXmlPatch(bytes(before), patch ?? bytes(''))).toString()).toBe(after);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('applyXmlPatch', () => {
  const apply = (before: string, operation: string, namespaces = '') =>
    Buffer.from(applyXmlPatch(bytes(before), bytes(`<diff${namespaces}>${operation}</diff>`))).toString();

  test.each([
    ['4.3.1', '<d><n>x</n></d>', '<add sel="d"><f id="e">new</f></add>', '<d><n>x</n><f id="e">new</f></d>'],
    [
      '4.3.2',
      '<d><f id="e">x</f></d>',
      `<add sel="d/f[@id='e']" type="@user">Bob</add>`,
      '<d><f id="e" user="Bob">x</f></d>',
    ],
    ['4.3.3', '<d/>', '<add sel="d" type="namespace::n">urn:n</add>', '<d xmlns:n="urn:n"/>'],
    ['4.3.4', '<d><f/></d>', '<add sel="d/f" pos="before"><!-- c --></add>', '<d><!-- c --><f/></d>'],
    ['4.3.4', '<d><f/></d>', '<add sel="d" pos="prepend">t<g/></add>', '<d>t<g/><f/></d>'],
    [
      '4.3.5',
      '<d>\n  <f/>\n</d>',
      '<add sel="*/f" pos="after">\n  <!-- c --><g/></add>',
      '<d>\n  <f/>\n  <!-- c --><g/>\n</d>',
    ],
    [
      '4.4.1',
      '<d>\n<f a="1">x</f>\n</d>',
      `<replace sel="d/f[@a='1']">\n <b a="2"/>\n</replace>`,
      '<d>\n<b a="2"/>\n</d>',
    ],
    ['4.4.2', `<d a='t'>x</d>`, '<replace sel="d/@a">it\'s</replace>', "<d a='it&apos;s'>x</d>"],
    [
      '4.4.3',
      '<d xmlns:n="urn:o"/>',
      '<replace sel="d/namespace::n">urn:n</replace>',
      '<d xmlns:n="urn:n"/>',
    ],
    [
      '4.4.4',
      '<d>x<!-- o --></d>',
      '<replace sel="d/comment()[1]"><!-- n --></replace>',
      '<d>x<!-- n --></d>',
    ],
    [
      '4.4.5',
      '<d>x<?t o?></d>',
      `<replace sel='d/processing-instruction("t")'><?t n?></replace>`,
      '<d>x<?t n?></d>',
    ],
    ['4.4.6', '<d><f>x<g/>y</f></d>', '<replace sel="d/f/text()[2]">z</replace>', '<d><f>x<g/>z</f></d>'],
    ['4.5', '<d>\n <f a="1"/>\n <g/>\n</d>', `<remove sel="d/f[@a='1']" ws="after"/>`, '<d>\n <g/>\n</d>'],
    ['4.5', '<d>\n <f/>\n <g/></d>', '<remove sel="d/f" ws="both"/>', '<d><g/></d>'],
    ['4.5', '<d a="1" b="2"/>', '<remove sel="d/@a"/>', '<d b="2"/>'],
    ['4.5', '<d>a<f/>b<f/>c</d>', '<remove sel="d/f[1]"/><remove sel="d/text()[1]"/>', '<d><f/>c</d>'],
    [
      '4.1',
      '<d><f><t>1</t></f><f><t>2</t></f></d>',
      `<remove sel="/d/f[t='2']/t"/>`,
      '<d><f><t>1</t></f><f></f></d>',
    ],
    ['4.1', '<d><f>1</f><f>2</f></d>', `<remove sel="/d/*[.='1']"/>`, '<d><f>2</f></d>'],
    ['4.1', '<d><f>1<!-- 2 --><g>3</g></f><f/></d>', `<remove sel="d/f[.='13']"/>`, '<d><f/></d>'],
    ['4.1', `<d><f a="x/]y"/><f/></d>`, `<remove sel="d/f[@a='x/]y']"/>`, '<d><f/></d>'],
    ['4.1', '<d><f a="1" b="2"/><f a="1"/></d>', `<remove sel="d/f[@a='1'][@b='2']"/>`, '<d><f a="1"/></d>'],
    ['4.1', '<d><f a="&lt;"/><f/></d>', `<remove sel="d/f[@a='&lt;']"/>`, '<d><f/></d>'],
    ['4.1', '<d>x<f/>y<f/></d>', '<remove sel="d/f[2]"/>', '<d>x<f/>y</d>'],
    ['4.1', '<d a="1"><f/></d>', '<remove sel="d/attribute::a"/>', '<d><f/></d>'],
    ['4.1', '<d xml:lang="en"/>', '<replace sel="d/@xml:lang">de</replace>', '<d xml:lang="de"/>'],
    ['4.1', '<d>x<?s?><?t?></d>', '<remove sel="d/processing-instruction(\'t\')"/>', '<d>x<?s?></d>'],
    ['4.1', '<d>x<?s?></d>', '<remove sel="d/processing-instruction()"/>', '<d>x</d>'],
    ['4.3.2', '<d/>', '<add sel="d" type="attribute::a">&lt;"</add>', '<d a="&lt;&quot;"/>'],
    ['4.3.2', '<d/>', '<add sel="d" type="@a"><![CDATA[<&]]></add>', '<d a="&lt;&amp;"/>'],
    ['4.5', '<d><f/>\n</d>', '<remove sel="d/f" ws="after"/>', '<d></d>'],
  ])('RFC 5261 §%s: %s', (_section, before, operation, after) => {
    expect(apply(before, operation)).toBe(after);
  });

  test('RFC 5261 §4.2.1: a name without a prefix is in the default namespace of the patch', () => {
    const before = '<d xmlns="urn:d" xmlns:x="urn:x"><x:f/><f/></d>';
    const after = '<d xmlns="urn:d" xmlns:x="urn:x"><x:f/></d>';
    expect(apply(before, '<remove sel="d/f"/>', ' xmlns="urn:d"')).toBe(after);
    expect(apply(before, '<remove sel="y:d/y:f"/>', ' xmlns:y="urn:d"')).toBe(after);
    expect(() => apply(before, '<remove sel="d/f"/>')).toThrow('selects 0 nodes');
  });

  test('RFC 5261 §4.2.3: what is put in keeps its namespace, whatever is in scope there', () => {
    expect(apply('<d xmlns:y="urn:1"/>', '<add sel="d"><y:n/></add>', ' xmlns:y="urn:2"')).toBe(
      '<d xmlns:y="urn:1"><y:n xmlns:y="urn:2"/></d>',
    );
    expect(apply('<y:d xmlns:y="urn:1"/>', '<add sel="z:d"><z:n/></add>', ' xmlns:z="urn:1"')).toBe(
      '<y:d xmlns:y="urn:1"><z:n xmlns:z="urn:1"/></y:d>',
    );
  });

  test.each([
    ['<remove sel="d/f"/>', 'selects 2 nodes'],
    ['<remove sel="d/x"/>', 'selects 0 nodes'],
    ['<remove sel="d/f[1]" ws="before"/>', 'white space'],
    ['<remove sel="d"/>', 'root'],
    ['<replace sel="d/f[1]">text</replace>', 'another kind'],
    ['<replace sel="d/f[1]"><a/><b/></replace>', 'another kind'],
    ['<add sel="d/f[1]" pos="inside"><a/></add>', 'unknown'],
    ['<add sel="d/f[1]" type="@a">2</add>', 'there already'],
    ['<move sel="d/f[1]"/>', 'no operation'],
    ['<remove/>', 'selects 0 nodes'],
    ['<remove sel="d/f[1]/@a/@b"/>', 'selects 0 nodes'],
    ['<remove sel="d/f[1]/text()"/>', 'selects 0 nodes'],
    ['<replace sel="d/f[1]">text<b/></replace>', 'another kind'],
    ['<replace sel="d/f[1]"><!-- c --></replace>', 'another kind'],
    ['<replace sel="d"><e/></replace>', 'the whole document'],
    ['<add sel="d/f[1]/@a"><b/></add>', 'no place for more'],
    ['<add sel="d/f[1]/@a" type="@b">2</add>', 'no place for more'],
    ['<add sel="d/f[1]" type="@b">2<c/></add>', 'text alone'],
    ['<replace sel="d/f[1]/@a"><c/></replace>', 'text alone'],
    ['<add sel="d" pos="before"><b/></add>', 'nothing can be put before'],
    [`<remove sel="d/f[@a='1' or @a='2']"/>`, 'unknown'],
    ['<remove sel="d/f[a]"/>', 'the predicate a is unknown'],
    ['<remove sel="d/f[2]/@y:a"/>', 'selects 0 nodes'],
    [`<remove sel="id('x')"/>`, 'unknown'],
    ['<remove sel="y:d"/>', 'not declared'],
    ['<remove', 'cannot be read'],
  ])('RFC 5261 §5: %s does not fit', (operation, reason) => {
    expect(() => apply('<d><f a="1"/><f/></d>', operation)).toThrow(reason);
  });

  test.each([
    ['<replace sel="d/text()[1]"><e/></replace>', 'only text'],
    ['<add sel="d/text()[1]"><e/></add>', 'nothing can be put into'],
    ['<add sel="d/text()[1]" type="@a">1</add>', 'only elements'],
    [`<remove sel="d/text()[f='1']"/>`, 'selects 0 nodes'],
    [`<remove sel="d/text()[@f='1']"/>`, 'selects 0 nodes'],
    [`<remove sel="d/comment()[.='c']"/>`, 'selects 0 nodes'],
  ])('RFC 5261 §5: %s does not fit a text or a comment', (operation, reason) => {
    expect(() => apply('<d>x<!--c--><f>1</f></d>', operation)).toThrow(reason);
  });

  test('RFC 5261 §4.2: an attribute with a prefix is found by its namespace', () => {
    const before = '<d xmlns:x="urn:1" x:a="1" a="2"/>';
    expect(apply(before, '<remove sel="d/@y:a"/>', ' xmlns:y="urn:1"')).toBe('<d xmlns:x="urn:1" a="2"/>');
    expect(apply(before, '<remove sel="d/@a"/>', ' xmlns:y="urn:1"')).toBe('<d xmlns:x="urn:1" x:a="1"/>');
    expect(() => apply(before, '<remove sel="d/@y:a"/>', ' xmlns:y="urn:2"')).toThrow('selects 0 nodes');
    expect(() => apply(before, '<remove sel="d/@y:b"/>', ' xmlns:y="urn:1"')).toThrow('selects 0 nodes');
  });

  test('RFC 5261 §4.2.3: what is in no namespace is not taken into that of its new place', () => {
    expect(apply('<d xmlns="urn:d"/>', '<add sel="x:d"><n/></add>', ' xmlns:x="urn:d"')).toBe(
      '<d xmlns="urn:d"><n xmlns=""/></d>',
    );
    const namespace = 'urn:a&amp;&quot;&lt;';
    expect(apply('<d/>', `<add sel="d"><y:n xmlns:y="${namespace}"/></add>`)).toBe(
      `<d><y:n xmlns:y="${namespace}"/></d>`,
    );
    expect(apply('<d/>', '<add sel="d"><y:n/></add>', ` xmlns:y="${namespace}"`)).toBe(
      '<d><y:n xmlns:y="urn:a&#38;&#34;&#60;"/></d>',
    );
  });

  test('what cannot be read is not patched', () => {
    expect(() => applyXmlPatch(bytes('<d'), bytes('<diff/>'))).toThrow('cannot be read');
    expect(() => applyXmlPatch(bytes('<d/>'), Buffer.from([0x3c, 0xff]))).toThrow('cannot be read');
  });
});
