import type { Action } from '../../../store/admin/audit.ts';
import type { Texts } from '../../words/language.ts';

/** What was done, in Japanese; in English it is said as the log has it. */
const ja: Readonly<Record<Action, string>> = {
  harvest: '差分ハーベスト',
  full: '全件ハーベスト',
  identifiers: '識別子の照合',
  stop: '停止',
  pause: '一時停止',
  resume: '再開',
  'tried again': '再試行',
  'was notified': '通知の受信',
  'approved deletions': '削除の承認',
  'rejected deletions': '削除の却下',
  'accepted refusals': '提供拒否の受け入れ',
  withdrew: '公開停止',
  restored: '再公開',
  'looked for a source': 'ソースの検出',
  'tried a source': 'ソースの試行',
  'added a source': 'ソースの追加',
  'changed a source': 'ソースの設定変更',
  'removed a source': 'ソースの除外',
  'removed what is published': '公開内容の削除',
  published: '公開のやり直し',
  'reloaded the configuration': '設定の再読み込み',
  'added a subscription': '通知先の追加',
  'removed a subscription': '通知先の削除',
  'tried a subscription': '通知先のテスト',
  'moved the storage': 'ストレージの移動',
  'made a backup': 'バックアップの作成',
  'restored a backup': 'バックアップの復元',
  'made a token': 'トークンの作成',
  'revoked a token': 'トークンの取り消し',
  'ended shared links': '共有リンクの無効化',
  'made a link to set a password': 'パスワード設定用リンクの作成',
  'set the password by a link': 'リンクからのパスワード設定',
  'set a password': 'パスワードの設定',
  'changed the password': 'パスワードの変更',
  'removed an account': 'アカウントの削除',
  'signed in': 'サインイン',
  'signed out': 'サインアウト',
  'failed to sign in': 'サインインの失敗',
  'ended a session': 'セッションの終了',
};

/** Of another release an action may have no name here. */
export const auditWords: Texts<Readonly<Record<string, string>>> = { en: {}, ja };
