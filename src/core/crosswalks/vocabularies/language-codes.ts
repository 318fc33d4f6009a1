/** ISO 639-1 and ISO 639-3 (https://iso639-3.sil.org/code_tables/639/data): the codes of two letters, and those of three. */
const twoAndThree = `
  aa aar, ab abk, ae ave, af afr, ak aka, am amh, an arg, ar ara, as asm, av ava, ay aym, az aze,
  ba bak, be bel, bg bul, bi bis, bm bam, bn ben, bo bod, br bre, bs bos, ca cat, ce che, ch cha,
  co cos, cr cre, cs ces, cu chu, cv chv, cy cym, da dan, de deu, dv div, dz dzo, ee ewe, el ell,
  en eng, eo epo, es spa, et est, eu eus, fa fas, ff ful, fi fin, fj fij, fo fao, fr fra, fy fry,
  ga gle, gd gla, gl glg, gn grn, gu guj, gv glv, ha hau, he heb, hi hin, ho hmo, hr hrv, ht hat,
  hu hun, hy hye, hz her, ia ina, id ind, ie ile, ig ibo, ii iii, ik ipk, io ido, is isl, it ita,
  iu iku, ja jpn, jv jav, ka kat, kg kon, ki kik, kj kua, kk kaz, kl kal, km khm, kn kan, ko kor,
  kr kau, ks kas, ku kur, kv kom, kw cor, ky kir, la lat, lb ltz, lg lug, li lim, ln lin, lo lao,
  lt lit, lu lub, lv lav, mg mlg, mh mah, mi mri, mk mkd, ml mal, mn mon, mr mar, ms msa, mt mlt,
  my mya, na nau, nb nob, nd nde, ne nep, ng ndo, nl nld, nn nno, no nor, nr nbl, nv nav, ny nya,
  oc oci, oj oji, om orm, or ori, os oss, pa pan, pi pli, pl pol, ps pus, pt por, qu que, rm roh,
  rn run, ro ron, ru rus, rw kin, sa san, sc srd, sd snd, se sme, sg sag, sh hbs, si sin, sk slk,
  sl slv, sm smo, sn sna, so som, sq sqi, sr srp, ss ssw, st sot, su sun, sv swe, sw swa, ta tam,
  te tel, tg tgk, th tha, ti tir, tk tuk, tl tgl, tn tsn, to ton, tr tur, ts tso, tt tat, tw twi,
  ty tah, ug uig, uk ukr, ur urd, uz uzb, ve ven, vi vie, vo vol, wa wln, wo wol, xh xho, yi yid,
  yo yor, za zha, zh zho, zu zul
`;

const pairs = twoAndThree
  .trim()
  .split(/,\s*/)
  .map((pair) => pair.split(' ') as [two: string, three: string]);

const toThree: ReadonlyMap<string, string> = new Map(pairs);
const toTwo: ReadonlyMap<string, string> = new Map(pairs.map(([two, three]) => [three, two]));

/** Bibliographic codes of ISO 639-2, where ISO 639-3 has those of the language's own name. */
const bibliographic: ReadonlyMap<string, string> = new Map(
  (
    'alb sqi, arm hye, baq eus, bur mya, chi zho, cze ces, dut nld, fre fra, geo kat, ger deu, gre ell, ice isl, ' +
    'mac mkd, mao mri, may msa, per fas, rum ron, slo slk, tib bod, wel cym'
  )
    .split(', ')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Names that stand where codes should. */
const names: ReadonlyMap<string, string> = new Map([
  ['english', 'eng'],
  ['japanese', 'jpn'],
  ['日本語', 'jpn'],
  ['英語', 'eng'],
  ['chinese', 'zho'],
  ['korean', 'kor'],
  ['french', 'fra'],
  ['german', 'deu'],
  ['spanish', 'spa'],
  ['italian', 'ita'],
  ['portuguese', 'por'],
  ['russian', 'rus'],
]);

/** Of ISO 639-3, but no language: undetermined, uncoded; and what DSpace offers as "other". */
const none: ReadonlySet<string> = new Set(['und', 'mis', 'other', 'n/a', 'oth']);

/**
 * The ISO 639-3 code of what is stated: `en_US`, `ja`, `ger`, `English` are `eng`, `jpn`, `deu`, `eng`.
 * @returns undefined for what says nothing, `other` and `N/A` among it
 */
export function languageCode(stated: string): string | undefined {
  const text = stated.trim().toLowerCase();
  if (none.has(text)) return undefined;
  const named = names.get(text);
  if (named !== undefined) return named;
  const [, main] = /^([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*$/.exec(text) ?? [];
  if (main === undefined || none.has(main)) return undefined;
  if (main.length === 2) return toThree.get(main);
  return bibliographic.get(main) ?? main;
}

/** The shortest code, as `xml:lang` has it (BCP 47): `en` for `eng`; of two letters only those that exist. */
export function shortCode(stated: string): string | undefined {
  const code = languageCode(stated);
  return code === undefined ? undefined : (toTwo.get(code) ?? code);
}
