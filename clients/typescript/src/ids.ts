import type { Data } from "./caller.js";

/** Visits every object that holds the last field of a path, through objects and lists. What is not sent holds nothing. */
export function eachHolder(of: Data, path: string[], visit: (holder: Data, field: string) => void): void {
  const [field, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    visit(of, field);
    return;
  }
  const inner = of[field];
  for (const one of Array.isArray(inner) ? inner : [inner]) {
    if (typeof one === "object" && one !== null) eachHolder(one as Data, rest, visit);
  }
}

/** An id that nobody else makes: 122 random bits as a text, 52 as a number. */
export function newId(integer = false): string | number {
  if (!integer) return crypto.randomUUID();
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0xfffff) * 2 ** 32 + low + 1;
}

const message = "added by a call whose answer was lost";

/** The ids of the comments of an object, which stand under one of two names. */
function commentIds(of: Data): unknown[] {
  return ((of["commentData"] ?? of["comments"] ?? []) as Data[]).map((comment) => comment["commentId"]);
}

/** What an add of annotations did, all of whose ids were made here. */
export function addedAnnotations(data: Data): unknown {
  const added: Data = {};
  for (const annotation of data["commentAnnotations"] as Data[]) {
    added[String(annotation["annotationId"])] = { success: true, annotationId: annotation["annotationId"], commentIds: commentIds(annotation), message };
  }
  return { status: "success", message, data: added };
}

/** What an add of comments did, all of whose ids were made here. */
export function addedComments(data: Data): unknown {
  return { status: "success", message, data: commentIds(data) };
}

/** What an add of activities did, all of whose ids were made here. */
export function addedActivities(data: Data): unknown {
  const items = (data["activities"] as Data[]).map((activity) => [activity["id"], { success: true, id: activity["id"], message }]);
  return { status: "success", message, data: Object.fromEntries(items) };
}
