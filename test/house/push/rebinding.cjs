/* Loaded before everything else: a name leads to one address the first time, and to another from then on. */
const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');

const { REBINDING_NAME: name, REBINDING_FIRST: first, REBINDING_THEN: then } = process.env;
const { lookup } = dns;
let looked = 0;

dns.lookup = (host, ...rest) => {
  if (host !== name) return lookup(host, ...rest);
  looked += 1;
  const address = looked === 1 ? first : then;
  const callback = rest.at(-1);
  const all = typeof rest[0] === 'object' && rest[0].all;
  process.nextTick(() => (all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
};
syncBuiltinESMExports();
