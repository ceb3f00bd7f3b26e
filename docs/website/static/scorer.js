/* Order of search results: pages that answer questions before lists and histories. Index entries name their section. */
const PLACES = [[/^(tutorials|how-to)/, 4], [/^(explanation\/measures|reference\/glossary)/, 6],
  [/^reference\/(definitions|formats)/, 2], [/^(CHANGELOG|explanation|reference\/api)/, -3]];
function nameSection(result) {
  const [page, title, anchor] = result, { docnames, alltitles } = Search._index;
  const isHere = ([file, id]) => docnames[file] === page && `#${id}` === anchor;
  const named = Object.entries(alltitles).find(([, places]) => places.some(isHere));
  if (named && named[0] !== title) result[1] = `${title} > ${named[0]}`;
}
var Scorer = {
  score: (result) => {
    if (result[6] === SearchResultKind.index) nameSection(result);
    return PLACES.reduce((sum, [place, gain]) => sum + (place.test(result[0]) ? gain : 0), result[4]);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
