#include "core/date_names.h"

#include <algorithm>

namespace notesdb {

namespace {

template <std::size_t N>
constexpr std::array<std::string_view, N> names(std::string_view text) {
  std::array<std::string_view, N> list;
  for (std::string_view& name : list) {
    name = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return list;
}

// As Moment.js writes them for MMMM, MMM, dddd and ddd, since its formats are the ones in use.
constexpr std::array known{
    DateNames{"en",
              names<12>("January February March April May June July August September October "
                        "November December"),
              names<12>("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
              names<7>("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"),
              names<7>("Sun Mon Tue Wed Thu Fri Sat")},
    DateNames{
        "cs",
        names<12>(
            "ledna února března dubna května června července srpna září října listopadu prosince"),
        names<12>("led úno bře dub kvě čvn čvc srp zář říj lis pro"),
        names<7>("neděle pondělí úterý středa čtvrtek pátek sobota"),
        names<7>("ne po út st čt pá so")},
    DateNames{
        "da",
        names<12>(
            "januar februar marts april maj juni juli august september oktober november december"),
        names<12>("jan feb mar apr maj jun jul aug sep okt nov dec"),
        names<7>("søndag mandag tirsdag onsdag torsdag fredag lørdag"),
        names<7>("søn man tir ons tor fre lør")},
    DateNames{
        "de",
        names<12>(
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
        names<12>("Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez."),
        names<7>("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"),
        names<7>("So. Mo. Di. Mi. Do. Fr. Sa.")},
    DateNames{"es",
              names<12>("enero febrero marzo abril mayo junio julio agosto septiembre octubre "
                        "noviembre diciembre"),
              names<12>("ene. feb. mar. abr. may. jun. jul. ago. sep. oct. nov. dic."),
              names<7>("domingo lunes martes miércoles jueves viernes sábado"),
              names<7>("dom. lun. mar. mié. jue. vie. sáb.")},
    DateNames{"fi",
              names<12>("tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu "
                        "syyskuu lokakuu marraskuu joulukuu"),
              names<12>("tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"),
              names<7>("sunnuntai maanantai tiistai keskiviikko torstai perjantai lauantai"),
              names<7>("su ma ti ke to pe la")},
    DateNames{
        "fr",
        names<12>(
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
        names<12>("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
        names<7>("dimanche lundi mardi mercredi jeudi vendredi samedi"),
        names<7>("dim. lun. mar. mer. jeu. ven. sam.")},
    DateNames{"hu",
              names<12>("január február március április május június július augusztus szeptember "
                        "október november december"),
              names<12>("jan. feb. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec."),
              names<7>("vasárnap hétfő kedd szerda csütörtök péntek szombat"),
              names<7>("vas hét kedd sze csüt pén szo")},
    DateNames{"it",
              names<12>("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre "
                        "ottobre novembre dicembre"),
              names<12>("gen feb mar apr mag giu lug ago set ott nov dic"),
              names<7>("domenica lunedì martedì mercoledì giovedì venerdì sabato"),
              names<7>("dom lun mar mer gio ven sab")},
    DateNames{
        "nb",
        names<12>(
            "januar februar mars april mai juni juli august september oktober november desember"),
        names<12>("jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des."),
        names<7>("søndag mandag tirsdag onsdag torsdag fredag lørdag"),
        names<7>("sø. ma. ti. on. to. fr. lø.")},
    DateNames{"nl",
              names<12>("januari februari maart april mei juni juli augustus september oktober "
                        "november december"),
              names<12>("jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec."),
              names<7>("zondag maandag dinsdag woensdag donderdag vrijdag zaterdag"),
              names<7>("zo. ma. di. wo. do. vr. za.")},
    DateNames{"pl",
              names<12>("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września "
                        "października listopada grudnia"),
              names<12>("sty lut mar kwi maj cze lip sie wrz paź lis gru"),
              names<7>("niedziela poniedziałek wtorek środa czwartek piątek sobota"),
              names<7>("ndz pon wt śr czw pt sob")},
    DateNames{
        "pt",
        names<12>("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
                  "dezembro"),
        names<12>("jan fev mar abr mai jun jul ago set out nov dez"),
        names<7>("Domingo Segunda-feira Terça-feira Quarta-feira Quinta-feira Sexta-feira Sábado"),
        names<7>("Dom Seg Ter Qua Qui Sex Sáb")},
    DateNames{
        "ru",
        names<12>(
            "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
        names<12>("янв. февр. мар. апр. мая июня июля авг. сент. окт. нояб. дек."),
        names<7>("воскресенье понедельник вторник среда четверг пятница суббота"),
        names<7>("вс пн вт ср чт пт сб")},
    DateNames{"sv",
              names<12>("januari februari mars april maj juni juli augusti september oktober "
                        "november december"),
              names<12>("jan feb mar apr maj jun jul aug sep okt nov dec"),
              names<7>("söndag måndag tisdag onsdag torsdag fredag lördag"),
              names<7>("sön mån tis ons tors fre lör")},
    DateNames{
        "tr",
        names<12>("Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"),
        names<12>("Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara"),
        names<7>("Pazar Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi"),
        names<7>("Paz Pzt Sal Çar Per Cum Cmt")},
    DateNames{"uk",
              names<12>("січня лютого березня квітня травня червня липня серпня вересня жовтня "
                        "листопада грудня"),
              names<12>("січ лют бер квіт трав черв лип серп вер жовт лист груд"),
              names<7>("неділя понеділок вівторок середа четвер пʼятниця субота"),
              names<7>("нд пн вт ср чт пт сб")},
};

}  // namespace

const DateNames& english_date_names() {
  return known.front();
}

const DateNames* find_date_names(std::string_view locale) {
  const std::string_view language = locale.substr(0, locale.find_first_of("-_"));
  if (locale.empty()) return &english_date_names();
  const auto* const found = std::ranges::find(known, language, &DateNames::locale);
  return found == known.end() ? nullptr : found;
}

std::string date_locales() {
  std::string locales;
  for (const DateNames& names : known)
    locales.append(locales.empty() ? "" : ", ").append(names.locale);
  return locales;
}

}  // namespace notesdb
