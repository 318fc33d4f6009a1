import fc from 'fast-check';

/** Pairs of small documents with everything that XML has but a DTD, and ballast: a patch always pays. */
const name = fc.constantFrom('a', 'b', 'c', 'p:a', 'q:b');
const text = fc.constantFrom('', '', ' ', '\n  ', 'x', 'y &amp; z', '<![CDATA[<]]>', '𠮷');
const attributes = fc.constantFrom('', ' x="1"', ' x="2" y="3"', " y='4'", ' xmlns="urn:d"', ' p:x="5"');
const leaf = fc.constantFrom('<!--c-->', '<!--d-->', '<?i j?>', '<a/>', '<b />', "<b x='1'/>");
const { node } = fc.letrec<{ node: string; content: string }>((tie) => ({
  content: fc
    .array(fc.tuple(text, fc.oneof({ depthSize: 'small' }, fc.constant(''), tie('node'))), { maxLength: 5 })
    .chain((parts) => text.map((last) => parts.flat().join('') + last)),
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc
      .tuple(name, attributes, tie('content'))
      .map(([tag, written, inner]) => `<${tag}${written}>${inner}</${tag}>`),
  ),
}));
const ballast = `<z>${'f'.repeat(4000)}</z>`;
const document = fc
  .array(fc.oneof(node, text), { maxLength: 8 })
  .map((parts) => `<r xmlns:p="urn:p" xmlns:q="urn:q">${parts.join('')}${ballast}</r>`);

export const documentPairs = fc.tuple(document, document).filter(([before, after]) => before !== after);
