import type { findingSentences } from '../../../core/reasons/finding-sentences.ts';
import type { InJapanese } from './in-japanese.ts';

const stays = 'あとで変更しても、アイテムのアドレスは変わりません（identity: oai）。';

export const findingsInJapanese: InJapanese<keyof typeof findingSentences> = {
  'found-sitemap': ({ url }) =>
    `通常のサイトマップです: ${url}。一つのアドレスが一つのアイテムになり、ハーベストのたびに全体を読み取ります。`,
  'found-source': ({ url }) => `ResourceSync のソースです。ケイパビリティリストは ${url} です。`,
  'found-no-change-lists': () => '変更リストがないため、ハーベストのたびにリソースリスト全体を読み取ります。',
  'found-change-lists': () => '追加、変更、削除は変更リストから分かります。',
  'found-legacy-alone': ({ url }) =>
    `DSpace 5 または 6 です。REST API は ${url} です。OAI-PMH のエンドポイントは見つかりませんでした。`,
  'found-legacy': ({ url, oai }) =>
    `DSpace 5 または 6 です。REST API は ${url}、OAI-PMH のエンドポイントは ${oai} です。`,
  'legacy-reads-all': () =>
    'OAI-PMH がないと何が変わったかを問い合わせられないため、毎晩一回、全体を読み取ります。OAI-PMH のエンドポイントがある場合は、`oai` に指定してください。',
  'legacy-uses-both': () =>
    '両方を使います。何が変わったかは OAI-PMH から、ファイルとそのチェックサムは REST から分かります。',
  'found-rest-alone': ({ text, url }) =>
    `${text} です。REST API は ${url} です。OAI-PMH のエンドポイントは見つかりませんでしたが、なくても問題ありません。`,
  'found-rest': ({ text, url, oai }) =>
    `${text} です。REST API は ${url}、OAI-PMH のエンドポイントは ${oai} です。`,
  'rest-chosen': () =>
    'REST を選びました。ファイルとチェックサム、誰がいつから読めるか、版も分かり、変更がすぐに反映されるためです。OAI-PMH への反映は遅れ、一日かかることもよくあります。',
  'rest-ails': ({ text, url, why }) =>
    `${text} で、REST API は ${url} ですが、現在はハーベストできません（${why}）。`,
  'oai-chosen-instead': () =>
    '代わりに OAI-PMH を選びました。REST API が使えるようになったら、プロトコルを選び直して、もう一度確認してください。アイテムのアドレスは変わりません。',
  'oai-instead': () => `OAI-PMH に変えるには、プロトコルを選び直して、もう一度確認してください。${stays}`,
  'oai-alone': () => `OAI-PMH だけを使うには、プロトコルを選び直して、もう一度確認してください。${stays}`,
};
