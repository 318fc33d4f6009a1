/** Who writes in the sample repository; invented, all of them. `reading` is the name in Latin letters. */
export interface Person {
  readonly name: string;
  readonly reading: string;
}

export const people: Readonly<Record<string, readonly Person[]>> = {
  en: [
    { name: 'Hartley, Wren', reading: 'Hartley, Wren' },
    { name: 'Okonkwo, Adaeze', reading: 'Okonkwo, Adaeze' },
    { name: 'Ó Súilleabháin, Fionn', reading: 'Ó Súilleabháin, Fionn' },
    { name: 'Tamsin-Brown, Idris', reading: 'Tamsin-Brown, Idris' },
    { name: "D'Arcy & Daughters (firm)", reading: "D'Arcy & Daughters (firm)" },
  ],
  ja: [
    { name: '𠮷野, 桜子', reading: 'Yoshino, Sakurako' },
    { name: '髙橋, 遼', reading: 'Takahashi, Ryo' },
    { name: '渡邊, 千尋', reading: 'Watanabe, Chihiro' },
    { name: '伊東, 海', reading: 'Ito, Kai' },
    { name: '𠮷田, 一郎', reading: 'Yoshida, Ichiro' },
  ],
  ar: [
    { name: 'الحسيني, ليلى', reading: 'al-Husayni, Layla' },
    { name: 'بن يوسف, كريم', reading: 'Ben Youssef, Karim' },
    { name: 'منصور, هند', reading: 'Mansour, Hind' },
  ],
  el: [
    { name: 'Παπαδάκη, Ελένη', reading: 'Papadaki, Eleni' },
    { name: 'Νικολάου, Στέφανος', reading: 'Nikolaou, Stefanos' },
    { name: 'Θαλασσινού, Μυρτώ', reading: 'Thalassinou, Myrto' },
  ],
  ru: [
    { name: 'Снегирёва, Вера', reading: 'Snegiryova, Vera' },
    { name: 'Озеров, Лев', reading: 'Ozerov, Lev' },
    { name: 'Щукина, Юлия', reading: 'Shchukina, Yuliya' },
  ],
  hi: [
    { name: 'वर्मा, मीरा', reading: 'Varma, Mira' },
    { name: 'त्रिपाठी, अनिल', reading: 'Tripathi, Anil' },
    { name: 'चौहान, काव्या', reading: 'Chauhan, Kavya' },
  ],
  fr: [
    { name: 'Lefèvre, Aurélie', reading: 'Lefèvre, Aurélie' },
    { name: 'Nœl, Anaïs', reading: 'Nœl, Anaïs' },
    { name: 'Diop, Mamadou', reading: 'Diop, Mamadou' },
  ],
  ko: [
    { name: '한, 가람', reading: 'Han, Garam' },
    { name: '서, 이슬', reading: 'Seo, Iseul' },
    { name: '남궁, 별', reading: 'Namgung, Byeol' },
  ],
};
