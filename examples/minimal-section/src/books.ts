/** Books, by the name in their path. */
export const BOOKS = {
  uferwege: {
    title: "Uferwege",
    author: "Marta Lindqvist",
    price: "24\u00a0€",
    about: "Vier Freundinnen folgen einem Fluss von der Quelle bis zum Meer.",
  },
  nachtzug: {
    title: "Nachtzug nach Görlitz",
    author: "Jonas Adler",
    price: "22\u00a0€",
    about: "Ein Abteil, zwei Fremde, und ein Koffer, der keinem von beiden gehört.",
  },
  salzgarten: {
    title: "Salzgarten",
    author: "Ines Okafor",
    price: "26\u00a0€",
    about: "Ein Garten an der Küste und drei Generationen, die ihn gießen.",
  },
  stimmen: {
    title: "Die leisen Stimmen",
    author: "Paul Renner",
    price: "20\u00a0€",
    about: "Neun Erzählungen über das Zuhören.",
  },
} as const;

/** The name of a book in its path. */
export type BookName = keyof typeof BOOKS;
