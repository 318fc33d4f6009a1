import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isBridgeError } from '../../../core/errors.ts';
import type { KeptSettings, SettingsPatch } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { type Form, formOf } from '../page/form-body.ts';
import { languageOf, wordsOf } from '../page/language.ts';
import { linesOf } from './choices-form.ts';
import { type KeptWords, keptWords } from './kept-words.ts';

type OfSource = { Params: { source: string } };

/** What is changed most of a source of the database. */
export function changePageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<OfSource>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source/change',
    config: { operationId: 'getChangeSourcePage', needs: 'admin' },
    handler: async (request, reply) => {
      const kept = await deps.admin.acts.keptSettings(request.params.source);
      return sendChange(deps, request, reply, { form: formOfSettings(kept) });
    },
  });
  app.route<OfSource>({
    method: 'POST',
    url: '/admin/sources/:source/change',
    config: { operationId: 'changeSourceByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { source } = request.params;
      const form = formOf(request.body);
      try {
        await deps.admin.acts.change(source, toPatch(form), actorOf(deps, request), form.tag);
        return seeOther(deps, reply, `/sources/${source}`);
      } catch (error) {
        if (!isBridgeError(error, 'usage') && !isBridgeError(error, 'source-changed')) throw error;
        // What was typed stays; to save it once more is to mean it as things are now.
        const { tag } = await deps.admin.acts.keptSettings(source);
        return sendChange(deps, request, reply, {
          form: { ...form, tag },
          trouble: told(error, languageOf(request)),
        });
      }
    },
  });
}

const fileModes = ['', 'proxy', 'link', 'mirror', 'none'] as const;

/** Only what this form can say of them; `tag`: as they were when it was asked for. */
function formOfSettings({ settings, tag }: KeptSettings): Form {
  const text = (value: unknown) => (value === undefined ? '' : String(value));
  const lines = (value: unknown) => {
    if (value === undefined) return '';
    const isPlain = Array.isArray(value) && value.every((one) => typeof one === 'string');
    return isPlain ? value.join('\n') : undefined;
  };
  const files = (settings.files ?? {}) as { readonly mode?: unknown };
  const [formats, collections] = [lines(settings.formats), lines(settings.collections)];
  return {
    tag,
    title: text(settings.title),
    files: text(files.mode),
    schedule: text(settings.schedule),
    fullPass: text(settings.fullPass),
    ...(formats !== undefined && { formats }),
    ...(collections !== undefined && { collections }),
  };
}

/** What is empty is unset; what the form does not have stays as it is. */
function toPatch(form: Form): SettingsPatch {
  const patch: Record<string, unknown> = {};
  for (const key of ['title', 'schedule', 'fullPass']) {
    const value = form[key]?.trim();
    if (value !== undefined)
      patch[key] = value === '' ? null : key !== 'title' && value === 'false' ? false : value;
  }
  for (const key of ['formats', 'collections']) {
    if (form[key] === undefined) continue;
    const lines = linesOf(form[key]);
    patch[key] = lines.length === 0 ? null : lines;
  }
  if (form.files !== undefined) patch.files = { mode: form.files === '' ? null : form.files };
  return patch;
}

function sendChange(
  deps: AdminServer,
  request: FastifyRequest<OfSource>,
  reply: FastifyReply,
  { form, trouble }: { readonly form: Form; readonly trouble?: Markup },
): FastifyReply {
  const words = keptWords[languageOf(request)];
  const visitor = visitorOf(request);
  const { source } = request.params;
  const place = `${basePathOf(deps)}/admin/sources/${source}`;
  const body = html`<p><a href="${place}">${source}</a></p><p>${words.changed} ${withCode(words.commandOnly(source))}</p>
${trouble !== undefined && html`<p class="bad s any lines" role="alert">${trouble}</p><p>${words.advice.usage}</p>`}
<form method="post" action="${place}/change">${formToken(visitor)}<input type="hidden" name="tag" value="${form.tag ?? ''}">
${line('title', words.title, form.title)}
${lines('formats', words.formatLines, form.formats)}
${lines('collections', words.collectionLines, form.collections)}
<label for="files">${words.files}</label><select id="files" name="files">${fileModes.map((mode) => html`<option value="${mode}"${mode === (form.files ?? '') && html` selected`}>${words.fileModes[mode]}</option>`)}</select>
${line('schedule', words.schedule, form.schedule)}
${line('fullPass', words.fullPass, form.fullPass)}
<p class="actions"><button>${wordsOf(request).save}</button> <a href="${place}">${words.cancel}</a></p></form>`;
  const status = trouble === undefined ? 200 : 400;
  return sendAdminPage(deps, request, reply, { title: titleOf(words, source), body, visitor, status });
}

function titleOf({ change }: KeptWords, source: string): string {
  return `${change}: ${source}`;
}

function line(name: string, label: string, value = ''): Markup {
  return html`<label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="500" value="${value}">`;
}

function lines(name: string, label: string, value: string | undefined): Markup | false {
  return (
    value !== undefined &&
    html`<label for="${name}">${label}</label><textarea id="${name}" name="${name}" rows="3" cols="40">
${value}</textarea>`
  );
}
