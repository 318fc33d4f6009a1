import { describe, expect, test } from 'vitest';
import { isSameButVolatile, mayBeVolatile } from '../../../src/core/xml/volatile-parts.ts';

const metsNamespace = 'http://www.loc.gov/METS/';
const bytes = (text: string) => Buffer.from(text, 'utf8');
const mets = (header: string, rest = '<dmdSec ID="d"/>') =>
  `<mets xmlns="${metsNamespace}" OBJID="hdl:1/2">${header}${rest}</mets>`;
const at = (time: string) => `<metsHdr CREATEDATE="2026-11-21T${time}Z"><agent/></metsHdr>`;
const same = (before: string, after: string) => isSameButVolatile(bytes(before), bytes(after));

describe('the same but for when it was asked for', () => {
  const prefixed = (time: string) =>
    `<?xml version="1.0"?>\r\n<!-- 𠮟 <metsHdr CREATEDATE="1"/> --><m:mets xmlns:m='${metsNamespace}' LABEL="&#x53F1; &amp; 𠮟">\r\n` +
    `<!-- x --><m:metsHdr\n ID = "h" RECORDSTATUS='&gt;' CREATEDATE = '2026-11-21T${time}Z' ><m:agent/></m:metsHdr></m:mets>`;

  test.each([
    ['as DSpace writes it', mets(at('10:00:00')), mets(at('10:15:00'))],
    ['another prefix, order, quotes, comments', prefixed('10:00:00'), prefixed('10:15:00')],
    ['written with references', mets(at('10:00:00')), mets(at('10&#58;15&#58;00'))],
    ['behind other elements', mets(`<dmdSec/>${at('1')}`), mets(`<dmdSec/>${at('2')}`)],
    ['with a mark of the order of octets', `\uFEFF${mets(at('1'))}`, `\uFEFF${mets(at('2'))}`],
    [
      'with both dates alike',
      mets('<metsHdr CREATEDATE="1" LASTMODDATE="1"/>'),
      mets('<metsHdr LASTMODDATE="2" CREATEDATE="2"/>').replace(
        'LASTMODDATE="2" CREATEDATE="2"',
        'CREATEDATE="2" LASTMODDATE="2"',
      ),
    ],
    ['METS 2', mets(at('1')).replace('METS/', 'METS/v2'), mets(at('2')).replace('METS/', 'METS/v2')],
  ])('%s', (_what, before, after) => {
    expect(before).not.toBe(after);
    expect(mayBeVolatile(bytes(after))).toBe(true);
    expect(same(before, after)).toBe(true);
  });
});

describe('a change', () => {
  test.each([
    ['of anything else', mets(at('1')), mets(at('2'), '<dmdSec ID="e"/>')],
    ['of a word in the header', mets(at('1')), mets(at('2').replace('<agent/>', '<agent>x</agent>'))],
    ['of white space', mets(at('1')), mets(`${at('2')} `)],
    [
      'of a comment that looks alike',
      mets(`<!--CREATEDATE="1"-->${at('1')}`),
      mets(`<!--CREATEDATE="2"-->${at('1')}`),
    ],
    [
      'of the date of a change',
      mets('<metsHdr CREATEDATE="1" LASTMODDATE="1"/>'),
      mets('<metsHdr CREATEDATE="1" LASTMODDATE="2"/>'),
    ],
    ['that the header is new', mets(''), mets(at('1'))],
    ['that the header has no date any more', mets(at('1')), mets('<metsHdr><agent/></metsHdr>')],
    ['of the same attribute elsewhere', mets('<fileSec CREATEDATE="1"/>'), mets('<fileSec CREATEDATE="2"/>')],
    ['deeper in the document', mets(`<dmdSec>${at('1')}</dmdSec>`), mets(`<dmdSec>${at('2')}</dmdSec>`)],
    [
      'of the same name in another namespace',
      mets(at('1')).replace('METS/', 'other/'),
      mets(at('2')).replace('METS/', 'other/'),
    ],
    [
      'of an attribute with a prefix',
      mets('<metsHdr xmlns:x="x" x:CREATEDATE="1"/>'),
      mets('<metsHdr xmlns:x="x" x:CREATEDATE="2"/>'),
    ],
    [
      'of another element behind it',
      mets(at('1'), '<dmdSec CREATEDATE="1"/>'),
      mets(at('1'), '<dmdSec CREATEDATE="2"/>'),
    ],
    ['inside of another document', `<a>${mets(at('1'))}</a>`, `<a>${mets(at('2'))}</a>`],
    ['of what is no XML', 'CREATEDATE="1"', 'CREATEDATE="2"'],
    ['of a text in JSON', '{"CREATEDATE": 1}', '{"CREATEDATE": 2}'],
  ])('%s is one', (_what, before, after) => {
    expect(same(before, after)).toBe(false);
  });

  test('is none of ordinary formats, which are not even read', () => {
    expect(mayBeVolatile(bytes('<oai_dc:dc><dc:date>2026</dc:date></oai_dc:dc>'))).toBe(false);
  });

  test('in octets that are no UTF-8 is one', () => {
    const odd = (time: string) => Buffer.concat([bytes(mets(at(time))), Buffer.from([0xff])]);
    expect(isSameButVolatile(odd('1'), odd('2'))).toBe(false);
  });
});

test('a document of megabytes is read to its header', () => {
  const long = '<dmdSec ID="d">'.padEnd(100, 'x').concat('</dmdSec>').repeat(50_000);
  expect(same(mets(at('1'), long), mets(at('2'), long))).toBe(true);
});
